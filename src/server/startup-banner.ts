import { basename, resolve } from 'node:path'
import { defaultDirectory } from '../shared/directory.ts'

interface Greeting {
  readonly url: string
  readonly socket: string
  readonly whmUrl: string | undefined
  readonly dataDir: string
  /** True until root has a password. */
  readonly rootHasNoPassword: boolean
}

/** Prints where the server listens and what to type next. */
export function greet({ url, socket, whmUrl, dataDir, rootHasNoPassword }: Greeting): void {
  const there = dataDir === defaultDirectory() ? '' : ` --data-dir ${quoted(dataDir)}`
  const next = [
    'accounts create alice --domain alice.example',
    'accounts list',
    ...(rootHasNoPassword ? ['root set-password'] : []),
  ]
  const panel = ownCommand()
  process.stdout.on('error', () => {})
  process.stdout.write(`panel listens on ${url}
and on the local socket ${socket}
${whmUrl ? `and for clients of WHM on ${whmUrl}\n` : ''}
Next, in another terminal:
${next.map((words) => `  ${panel} ${words}${there}\n`).join('')}`)
}

/** How this program was invoked, as it can be typed in any directory. */
function ownCommand(): string {
  const called = process.argv[1] ?? 'panel'
  return basename(called) === 'panel' ? 'panel' : `node ${quoted(resolve(called))}`
}

/** Quotes a path for a shell. */
const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
