/** Servers of the Model Context Protocol, and how long a start waits for them. */
import * as z from 'zod';
import {
  anyMap,
  bool,
  int,
  list,
  mapOf,
  number,
  optionalList,
  optionalNumber,
  optionalText,
  section,
  text,
  textMap,
} from './fields.ts';

const recycling = {
  idle_timeout_seconds: optionalNumber('Seconds without a call after which a stdio server ends; 0 means never'),
  max_lifetime_seconds: optionalNumber('Seconds after which a stdio server is started anew; 0 means never'),
};

const oauth = {
  client_id: optionalText('Of a client that is registered already; absent: it registers itself'),
  client_secret: optionalText('Its secret'),
  client_name: text('Hermes Agent', 'The name under which it registers itself'),
  scope: optionalText('What it asks for; absent: what the server names'),
  redirect_host: text('127.0.0.1', 'This machine, as the browser is sent back to it'),
  redirect_port: int(0, 'The port for that; 0 means any that is free', { min: 0, max: 65_535 }),
  redirect_uri: optionalText('The whole address, where a proxy brings the browser back'),
  timeout: number(300, 'Seconds that a login waits for the browser'),
};

const mcp_servers = () =>
  mapOf(
    z.looseObject({
      command: optionalText('Program of a stdio server'),
      args: list('Its arguments'),
      env: textMap('Its extra environment'),
      cwd: optionalText('Its directory'),
      url: optionalText('Address of an HTTP server'),
      headers: textMap('HTTP headers'),
      transport: optionalText('sse for old servers'),
      skip_preflight: bool(false, 'Connect without a look at what the address answers'),
      auth: optionalText('oauth'),
      oauth: z.looseObject(oauth).prefault({}).describe('How the login of auth: oauth is made'),
      enabled: bool(true, 'Connect at start'),
      timeout: number(300, 'Seconds of one call'),
      connect_timeout: number(60, 'Seconds of the first connection'),
      keepalive_interval: number(180, 'Seconds between two looks whether it still answers', { min: 5 }),
      ...recycling,
      lifecycle: z.looseObject(recycling).prefault({}).describe('The same two, as some files write them'),
      ssl_verify: z.union([z.boolean(), z.string()]).default(true).describe('false, or a CA bundle'),
      client_cert: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe('Client certificate'),
      client_key: optionalText('Client key'),
      supports_parallel_tool_calls: bool(false, 'Its tools may run side by side'),
      tools: z
        .looseObject({
          include: optionalList('Only these tools'),
          exclude: list('Not these tools'),
          resources: bool(true, 'Offer its resources'),
          prompts: bool(true, 'Offer its prompts'),
        })
        .prefault({})
        .describe('Which of its tools are offered'),
      sampling: anyMap('Requests of the server to the model'),
      elicitation: anyMap('Questions of the server to the person'),
    }),
    'Model Context Protocol servers',
  );

const mcp = () =>
  section({
    auto_reload_on_config_change: bool(true, 'Connect anew when mcp_servers changes in the file'),
  });

const mcp_discovery_timeout = () => number(1.5, 'Seconds that a first message waits for the servers');

/** Top-level keys of this file. */
export const mcpSections = { mcp_servers, mcp, mcp_discovery_timeout };
