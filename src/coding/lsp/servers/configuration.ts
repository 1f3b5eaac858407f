/** Language servers of files that configure something. */
import type { LanguageServer } from '../language-server.ts';

export const configurationServers: readonly LanguageServer[] = [
  {
    id: 'yaml-language-server',
    languages: { '.yaml': 'yaml', '.yml': 'yaml' },
    roots: [],
    programs: ['yaml-language-server'],
    args: ['--stdio'],
    install: { by: 'npm', packages: ['yaml-language-server'] },
    // Syntax is checked before a file is written; more than that it knows from schemas.
    needsMore: true,
    // Else it fetches a list of schemas from the network at every start.
    settings: () => ({ yaml: { schemaStore: { enable: false } }, redhat: { telemetry: { enabled: false } } }),
  },
  {
    id: 'dockerfile-ls',
    languages: { Dockerfile: 'dockerfile', Containerfile: 'dockerfile', '.dockerfile': 'dockerfile' },
    roots: [],
    programs: ['docker-langserver'],
    args: ['--stdio'],
    install: { by: 'npm', packages: ['dockerfile-language-server-nodejs'] },
  },
  {
    id: 'terraform-ls',
    languages: { '.tf': 'terraform', '.tfvars': 'terraform-vars' },
    roots: ['.terraform', '.terraform.lock.hcl'],
    programs: ['terraform-ls'],
    args: ['serve'],
    install: { by: 'go', module: 'github.com/hashicorp/terraform-ls@latest' },
  },
];
