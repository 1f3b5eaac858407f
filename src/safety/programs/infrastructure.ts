/** Command lines of clusters, clouds and hosts: looking needs their keys, everything else changes what others work with. */
import { all, describe, type Shape } from './describe.ts';
import { asks } from './findings.ts';
import type { Arguments } from './options.ts';
import type { Contact, KnownCall, Program } from './known.ts';

const change = 'changes remote infrastructure';
const login = 'changes accounts or logins';

/** The folder's settings say where it keeps what it knows. */
const somewhere: Contact = { host: undefined, sends: 'request' };

const kubeLooks: Shape = {
  place: 'outside',
  plain:
    '-AwfLhp -o= -l= -c= -n= --all-namespaces --watch --output= --selector= --field-selector= --show-labels --sort-by= --namespace= --context= --containers --follow --previous --tail= --since= --timestamps --container= --no-headers --show-kind --ignore-not-found --chunk-size= --all-containers --prefix --recursive --api-version= --api-group= --namespaced --verbs= --short --client --request-timeout= --label-columns= --server-print --type= --minify --events --watch-only',
};

const helmLooks: Shape = {
  place: 'outside',
  plain:
    '-aAq -n= -o= -f= --all --all-namespaces --namespace= --output= --max= --revision= --version= --versions --set= --values= --short --kube-context= --devel --show-only= --filter= --pending --failed --deployed',
};

const terraformLooks: Shape = {
  place: 'outside',
  style: 'words',
  plain: '-json -raw -no-color -state= -recursive -check -diff -list',
  check: (known) => ({ ...known, contacts: [somewhere] }),
};

const cloudLooks: Shape = {
  place: 'outside',
  plain:
    '-hqjgns -o= -g= -n= -a= -t= -r= -p= --region= --profile= --output= --query= --filters= --filter= --max-items= --page-size= --no-paginate --no-cli-pager --format= --project= --zone= --limit= --sort-by= --instance-ids= --function-name= --cluster= --cluster-name= --bucket= --prefix= --stack-name= --name= --names= --log-group-name= --log-group-name-prefix= --recursive --human-readable --summarize --resource-group= --subscription= --app= --json --all --owners= --image-ids= --group-ids= --vpc-ids= --services= --service= --tasks= --start-time= --end-time= --table-name= --queue-url= --tail --since= --follow --num= --location= --configuration= --uri --flatten= --show-details',
};

export const infrastructure: readonly Program[] = [
  describe('kubectl oc k kubecolor', {
    // Left out: --kubeconfig, --server and --token lead elsewhere.
    plain: '-n= --namespace= --context= --cluster= --request-timeout=',
    otherwise: change,
    commands: {
      ...all('get describe', { ...kubeLooks, check: knowSecrets }),
      ...all('logs top explain api-resources api-versions cluster-info version events diff', kubeLooks),
      auth: { otherwise: change, commands: all('can-i whoami', kubeLooks) },
      rollout: { otherwise: change, commands: all('status history', kubeLooks) },
      config: {
        otherwise: 'changes settings for all projects',
        commands: all('view get-contexts current-context get-clusters get-users', kubeLooks),
      },
      kustomize: { place: 'sandbox' },
      completion: { place: 'outside' },
      options: { place: 'outside' },
      wait: { ...kubeLooks, plain: `${kubeLooks.plain} --for= --timeout=` },
    },
  }),
  describe('helm', {
    plain: '-n= --namespace= --kube-context= --debug',
    otherwise: change,
    commands: {
      ...all('list ls status history get version env', helmLooks),
      // A chart may lie anywhere.
      ...all('show search', { ...helmLooks, check: (known) => ({ ...known, contacts: [somewhere] }) }),
    },
  }),
  describe('k9s stern kubectx kubens', { place: 'outside', ask: 'changes settings for all projects' }),
  describe('terraform tofu terragrunt', {
    style: 'words',
    plain: '-chdir= -version -help',
    otherwise: change,
    commands: {
      ...all('output version', terraformLooks),
      // They run the providers that lie in the folder, and programs that its files name.
      ...all('plan show graph providers test', {
        asks: { [change]: '-destroy' },
        check: () => undefined,
      }),
      validate: { place: 'sandbox', plain: '-json -no-color' },
      fmt: {
        plain: '-recursive -check -diff -list= -write=',
        check: (known, { operands }) => ({
          ...known,
          writes: operands.length === 0 ? ['.'] : operands.map(({ text }) => text),
        }),
      },
      init: { check: () => undefined, asks: { [change]: '-migrate-state -force-copy -reconfigure' } },
      state: { otherwise: change, commands: all('list show pull', terraformLooks) },
      workspace: { otherwise: change, commands: all('list show', terraformLooks) },
    },
  }),
  describe('pulumi', {
    plain: '-C= --cwd= -s= --stack= --non-interactive',
    otherwise: change,
    commands: {
      // It runs the program that the folder holds.
      preview: { check: () => undefined },
      ...all('whoami version logs', { place: 'outside', plain: '-jvf --json --follow' }),
      stack: {
        plain: '-i --show-ids',
        otherwise: change,
        commands: all('ls output graph history', {
          place: 'outside',
          check: (known) => ({ ...known, contacts: [somewhere] }),
          plain: '-aj --all --json --show-secrets',
        }),
      },
      config: { otherwise: change, commands: { get: { place: 'outside' } } },
    },
  }),
  describe('ansible ansible-playbook ansible-pull ansible-console', { ask: change, plain: '--version' }),
  describe('ansible-lint ansible-doc ansible-inventory ansible-config', {
    place: 'sandbox',
    plain: '-l -t= -i= --list --graph --host= --version',
  }),
  describe('aws', {
    plain: '--version --region= --profile= --output= --query= --no-cli-pager --no-paginate',
    otherwise: change,
    commands: {
      s3: {
        otherwise: change,
        commands: { ls: { ...cloudLooks, host: 'amazonaws.com' }, cp: { ask: change }, sync: { ask: change } },
      },
      sts: { otherwise: change, commands: { 'get-caller-identity': { ...cloudLooks, host: 'amazonaws.com' } } },
      configure: { ask: login, otherwise: login, commands: all('list list-profiles', { place: 'outside' }) },
      sso: { ask: login },
      logs: {
        otherwise: change,
        commands: all('tail describe-log-groups describe-log-streams filter-log-events get-log-events', {
          ...cloudLooks,
          host: 'amazonaws.com',
        }),
      },
      help: { place: 'outside' },
      ...all(
        'ec2 rds iam lambda ecs eks ecr cloudformation cloudwatch dynamodb route53 s3api sqs sns ssm autoscaling elbv2 acm apigateway cloudfront kms organizations ce elasticache events stepfunctions',
        {
          ask: change,
          check: knowAws,
        },
      ),
    },
  }),
  describe('gcloud', { plain: '--version --project= --format= --quiet -q', ask: change, check: knowCloud }),
  describe('gsutil bq', { ask: change, check: knowCloud }),
  describe('az', { plain: '--version', ask: change, check: knowCloud }),
  describe(
    'doctl flyctl fly heroku vercel vc netlify wrangler railway render supabase firebase eb sam linode-cli hcloud scw oci ibmcloud vault consul nomad packer waypoint argocd flux istioctl linkerd eksctl kops minikube kind k3d fleetctl copilot surge now',
    {
      ask: change,
      plain: '-v -a= -n= -t -f --version --json --app= --project= --tail --num= --limit= --follow --since=',
      check: knowCloud,
    },
  ),
  // Their settings are programs: even to list something they run what the folder holds.
  describe('cdk serverless sls amplify sst', {
    ask: change,
    plain: '--version -v',
    check: (known, { operands }) =>
      /^(?:ls|list|synth|diff|info|status|print|package|doctor|help)$/.test(operands[0]?.text ?? '')
        ? { ...known, place: 'sandbox', findings: [] }
        : known,
  }),
  describe('sops age', { ask: 'uses private keys' }),
  describe('dvc rclone s3cmd mc gdrive', { ask: change, check: knowCloud, plain: '--version' }),
];

/** What a cluster keeps secret is not for everybody's eyes. */
function knowSecrets(known: KnownCall, { operands, given }: Arguments): KnownCall {
  const secret = operands.some(({ text }) => /(?:^|,)secrets?(?:[,/.]|$)/i.test(text));
  const shows = given.some(({ option }) => option.name === '-o' || option.name === '--output');
  return secret && shows ? { ...known, findings: [...known.findings, asks('uses private keys')] } : known;
}

function knowAws(known: KnownCall, { operands, given, strange }: Arguments): KnownCall {
  const [verb = ''] = operands.map(({ text }) => text);
  const looks = /^(?:describe|list|get|head|lookup|search|scan|query|wait|batch-get)(?:-|$)/.test(verb);
  // Values of secrets are what others must not see.
  const secret = /secret-value|password|credentials|session-token|authorization-token|get-parameter/.test(verb);
  const elsewhere = given.some(({ option }) => option.name === '--endpoint-url');
  return looks && !secret && !elsewhere && !strange ? looking(known, 'amazonaws.com') : known;
}

const looksWord =
  /^(?:list|ls|describe|show|get|info|status|logs?|tail|whoami|version|help|ps|apps|regions|account|releases|domains|inspect|cat|about|--version|-v|--help)$/;
const changesWord =
  /^(?:create|delete|destroy|remove|rm|update|deploy|set|unset|add|apply|up|down|scale|restart|stop|start|promote|rollback|push|publish|cp|mv|sync|copy|move|ssh|run|exec|login|logout|auth|init|link|unlink|transfer|reset|import|upload|purge|put|write|patch|enable|disable|config|secrets?|env|configure|reboot|shutdown|attach|detach|clone|rotate|revoke|grant|invoke|call|connect|migrate|rename|import|use|activate)$/;

/** What is shown then opens doors: `az account get-access-token`. */
const secretWord = /token|credential|password|secret|(?<!ssh-)\bkeys?$/;

/** Looking words decide only where no other word of the call changes anything, or shows what nobody should see. */
function knowCloud(known: KnownCall, { operands, strange }: Arguments): KnownCall {
  const given = operands.flatMap(({ text }) => text.split(':'));
  // `config list` only shows.
  const words = given[0] === 'config' && /^(?:list|get|get-value|show)$/.test(given[1] ?? '') ? given.slice(1) : given;
  const verbs = words.slice(0, 4);
  const looks = verbs.some((word) => looksWord.test(word)) || words.length === 0;
  const isOther = verbs.some((word) => changesWord.test(word) || secretWord.test(word));
  return looks && !strange && !isOther ? looking(known, undefined) : known;
}

function looking(known: KnownCall, host: string | undefined): KnownCall {
  return {
    ...known,
    place: 'outside',
    contacts: [{ host, sends: 'request' }],
    findings: known.findings.filter(({ key }) => key !== asks(change).key),
  };
}
