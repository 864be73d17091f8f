/** Questions to the server on this machine. */
import { Refused, type Source } from './host';

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

async function send(
  token: string,
  question: string,
  fields: object,
  signal?: AbortSignal,
): Promise<Response> {
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

/** The server that gave out this page. */
export function server(): Source {
  const token = findToken();
  return {
    ask: async <Answer>(question: string, fields: object = {}, signal?: AbortSignal) =>
      (await send(token, question, fields, signal)).json() as Promise<Answer>,
    askFloats: async (question, fields = {}, signal) =>
      new Float32Array(await (await send(token, question, fields, signal)).arrayBuffer()),
  };
}
