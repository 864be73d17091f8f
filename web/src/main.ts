import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { pageHost } from './lib/page.svelte';
import { server } from './lib/server';

const target = document.getElementById('app');
if (target) mount(App, { target, props: { host: pageHost(server(), true) } });
