import { exitMeanings } from '../../shared/exit.ts'
import { page } from '../output/pager.ts'
import { wrapped } from './wrap.ts'

const table = (rows: readonly (readonly [string | number, string])[]): string => {
  const width = Math.max(...rows.map(([name]) => String(name).length)) + 2
  return rows.map(([name, meaning]) => `  ${String(name).padEnd(width)}${meaning}\n`).join('')
}

/** The environment variables that the command line reads. */
export const environment: readonly (readonly [string, string])[] = [
  ['PANEL_URL', 'The server, such as https://host.example:7711; /api/v1 may be left out.'],
  ['PANEL_TOKEN', 'API token. On the local socket too, where the request then acts as that token.'],
  ['PANEL_CACERT', 'File with the certificate, or the certificate authority, to trust for PANEL_URL.'],
  ['PANEL_CONTEXT', 'The saved server to use; separate several with commas. See `panel help contexts`.'],
  ['PANEL_ACCOUNT', 'The account, for commands that need one, if --account is not given.'],
  ['PANEL_DATA_DIR', 'Data directory of the local server; used instead of the current context.'],
  ['PANEL_OUTPUT', 'Output format, if --output is not given.'],
  ['PANEL_NO_INPUT', 'If set, never ask; fail instead.'],
  ['PANEL_PAGER', 'Program for output that is longer than the screen; PAGER, if not set. Empty: none.'],
  ['NO_COLOR', 'If set, no colours. FORCE_COLOR: colours without a terminal.'],
]

const environmentText = `The server is the first of these that is set: an option (--context or --data-dir); the environment
(PANEL_URL, PANEL_CONTEXT or PANEL_DATA_DIR); the current context; the socket <data-dir>/panel.sock.
Two options, or two variables, that name different servers are refused. \`panel whoami\` shows the choice.
The data directory is --data-dir, else PANEL_DATA_DIR, else /var/lib/panel for root,
else $XDG_DATA_HOME/panel, else ~/.local/share/panel.

${table(environment)}`

const exitText = `${table(exitMeanings)}
With --output json the error is one line of JSON on standard error; the last part of its
\`type\` is a stable code.
`

const outputText = `Standard output holds data and nothing else; progress, notes and errors go to standard error.

${table([
  ['table', 'Aligned columns on a terminal; elsewhere full values separated by tabs, with times in ISO 8601.'],
  ['wide', 'The table with every column.'],
  ['csv', 'The table as comma-separated values, for spreadsheets.'],
  ['json', 'One document: for a list, an array with all its pages; otherwise the answer itself.'],
  ['jsonl', 'One line for each item, printed as pages arrive.'],
  ['yaml', 'The same as json, in YAML.'],
  ['name', 'The name of each item, one per line.'],
])}
--quiet prints ids. --columns a,b chooses columns, also nested ones such as actor.name; --help lists them.
--sort -created_at sorts; --no-headers leaves out the headings. --select takes a JMESPath expression:
bare values are printed as lines, anything else as JSON.
On a terminal a table ends after 100 items: --all shows all, --limit N the first N.
Times are milliseconds since 1970 in json, jsonl and yaml.
`

const scriptingText = `Names work wherever an id is expected. Without a terminal nothing is asked: if input is missing,
the command ends with exit code 6 and the options to add. --yes answers confirmations.

A change that starts a job waits for it; with --no-wait it returns at once and names the job,
and with --quiet prints only the job's id. --wait-timeout 10m gives up waiting with exit
code 8, and \`panel jobs wait ID\` goes on. Ctrl-C stops waiting, but never the job.

Each POST carries an Idempotency-Key; --idempotency-key sets your own, so that a script
that starts over does nothing twice.

Passwords are read with --password-stdin or --password-file, never from the command line.
--dry-run says what would change; in a pipe or with --output json it prints the request. \`panel api\` sends any request; --curl shows it for curl.

  panel accounts list --output json | jq -r '.[].username'
  panel accounts create alice --domain alice.example --quiet
  panel accounts list --select '[?status==\`suspended\`].username'
`

const contextsText = `A context is a server that \`panel login\` saved under a name: its address, the sign-in,
and its pinned public key if no trusted authority signed its certificate.

  panel login https://panel.example:7711 --context prod    save it, and make it the current one
  panel context list                                       what there is
  panel context use prod                                   choose another; \`local\` is the socket
  panel accounts list --context prod                       once, without choosing
  panel accounts list --context prod,test                  on both, side by side
  panel accounts list --all-contexts                       on every saved one
  panel logout prod                                        end the session and forget it

With several servers each row names its server (SERVER), JSON is one array, and a server that
fails is reported on standard error while the others are shown; the exit code is the highest.
Only commands that read run on several servers; a change needs one.

If a server's key is not the saved one, nothing is sent and the command ends with exit code 7.
A new certificate with the same key is fine. If the key was renewed on purpose, sign in again
with --fingerprint sha256:…, of the key or the certificate as openssl shows it.

Contexts are kept in $XDG_CONFIG_HOME/panel/contexts.json (~/.config/panel), mode 0600. A session
ends after an hour without use, and after eight hours at most; a token ends when it is revoked.
`

/** Help topics beyond commands. */
export const topics: Readonly<Record<string, string>> = {
  contexts: contextsText,
  environment: environmentText,
  'exit-codes': exitText,
  output: outputText,
  scripting: scriptingText,
}

/** Prints `panel help TOPIC`; returns false for unknown topics. */
export function printTopic(words: readonly string[]): boolean {
  const text = words[0] === 'help' ? topics[words[1] ?? ''] : undefined
  if (text !== undefined) page(wrapped(text))
  return text !== undefined
}
