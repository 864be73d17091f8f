/** Questions to the server on this machine. */

const kept = 'textgrain-token';

/** The token in the address, which is then taken out of sight; kept while the tab lives. */
function findToken(): string {
  const address = new URL(window.location.href);
  const given = address.searchParams.get('token');
  if (given) {
    sessionStorage.setItem(kept, given);
    address.searchParams.delete('token');
    window.history.replaceState(null, '', address);
  }
  return given ?? sessionStorage.getItem(kept) ?? '';
}

const token = typeof window === 'undefined' ? '' : findToken();

export class Refused extends Error {}

async function send(question: string, fields: object, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`./api/${question}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-textgrain-token': token },
      body: JSON.stringify(fields),
      signal: signal ?? null,
    });
  } catch (reason) {
    if (signal?.aborted) throw reason;
    throw new Refused('The server does not answer. Was the program stopped?');
  }
  if (response.ok) return response;
  const text = await response.text();
  let message = text;
  try {
    message = (JSON.parse(text) as { error?: string }).error ?? text;
  } catch {
    // A refusal of the guard is plain text.
  }
  throw new Refused(message);
}

export async function ask<Answer>(
  question: string,
  fields: object = {},
  signal?: AbortSignal,
): Promise<Answer> {
  return (await send(question, fields, signal)).json() as Promise<Answer>;
}

export async function askFloats(
  question: string,
  fields: object = {},
  signal?: AbortSignal,
): Promise<Float32Array> {
  return new Float32Array(await (await send(question, fields, signal)).arrayBuffer());
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
