/** Configuration: the web, the browser, the desktop, and pictures. */
import * as z from 'zod';
import {
  bool,
  choice,
  int,
  list,
  nested,
  number,
  optionalBool,
  optionalChoice,
  optionalText,
  section,
  text,
} from './fields.ts';

const web = () =>
  section({
    backend: text('', 'Search and extract backend; detected when empty'),
    search_backend: text('', 'Backend for searching only'),
    extract_backend: text('', 'Backend for extracting only'),
    extract_char_limit: int(15_000, 'Characters of a page that the model sees', { min: 2000, max: 500_000 }),
    use_gateway: bool(false, 'Use the tool gateway of the subscription'),
    xai: nested(
      {
        model: optionalText('Model that searches'),
        timeout: number(90, 'Seconds'),
        allowed_domains: list('Only these sites'),
        excluded_domains: list('Not these sites'),
      },
      'Search through xAI',
    ).prefault({}),
  });

const x_search = () =>
  section({
    model: optionalText('Model that searches'),
    reasoning_effort: optionalChoice(['low', 'medium', 'high', 'xhigh'], 'How long it thinks'),
    timeout_seconds: number(180, 'Seconds', { min: 30 }),
    retries: int(2, 'Retries'),
  });

const browser = () =>
  section({
    inactivity_timeout: number(120, 'Idle seconds until a browser is closed'),
    command_timeout: number(30, 'Seconds of one command'),
    record_sessions: bool(false, 'Record videos'),
    cdp_url: text('', 'Browser to connect to'),
    cloud_provider: text('auto', 'browserbase, browser-use, firecrawl, local or auto'),
    dialog_policy: choice(['must_respond', 'auto_dismiss', 'auto_accept'], 'must_respond', 'What happens to dialogs'),
    dialog_timeout_s: number(300, 'Seconds a dialog waits'),
    auto_local_for_private_urls: bool(true, 'Open private addresses in a local browser'),
    allow_private_urls: optionalBool('Pages may reach private addresses; unset: only what is opened by name'),
    engine: choice(['auto', 'lightpanda', 'chrome'], 'auto', 'Browser of this machine; auto is Chrome'),
    headed: bool(false, 'Show the window of the browser'),
    restrict_evaluate: bool(false, 'Keep expressions in pages from cookies, storage, the network and forms'),
    allow_unsafe_evaluate: bool(false, 'Lift restrict_evaluate'),
    use_gateway: bool(false, 'Use the tool gateway of the subscription'),
    camofox: nested(
      {
        managed_persistence: bool(false, 'Keep logins'),
        user_id: text('', 'User id on the server'),
        session_key: text('', 'Session key on the server'),
        adopt_existing_tab: bool(false, 'Take over an open tab'),
        rewrite_loopback_urls: optionalBool('Make localhost reachable from its container'),
        loopback_host_alias: text('host.docker.internal', 'What localhost is called in its container'),
      },
      'Camofox',
    ).prefault({}),
  });

const computer_use = () =>
  section({
    cua_telemetry: bool(false, 'Let cua-driver send anonymous reports about its use'),
  });

const media = () =>
  z.looseObject({
    provider: optionalText('Backend'),
    model: optionalText('Model'),
    use_gateway: bool(false, 'Use the tool gateway of the subscription'),
  });

const image_gen = () => media().prefault({});
const video_gen = () => media().prefault({});

/** Top-level keys of this file. */
export const webSections = {
  web,
  x_search,
  browser,
  computer_use,
  image_gen,
  video_gen,
};
