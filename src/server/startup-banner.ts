import { basename, relative, resolve } from 'node:path'
import { defaultDirectory } from '../shared/directory.ts'

interface Greeting {
  /** The API's address. */
  readonly url: string
  readonly whmUrl: string | undefined
  readonly dataDir: string
  /** True until root has a password. */
  readonly rootHasNoPassword: boolean
  /** Signs root in, once. */
  readonly link?: string | undefined
}

/** Prints where the server listens, how to sign in, and what to type next. */
export function greet({ url, whmUrl, dataDir, rootHasNoPassword, link }: Greeting): void {
  const pages = `${new URL(url).origin}/`
  const signIn = link ? `Sign in as root, once, within 15 minutes: ${link}` : `Sign in: ${pages}`
  const whm = whmUrl ? `Clients of WHM: ${whmUrl}\n` : ''
  const next = rootHasNoPassword ? 'accounts create alice --domain alice.example' : 'accounts list'
  process.stdout.on('error', () => {})
  process.stdout.write(
    `panel listens on ${url}\n${whm}${signIn}\nNext, in another terminal: ${ownCommand(dataDir)} ${next}\n`,
  )
}

/** How this program was invoked, as it can be typed in this directory. */
function ownCommand(dataDir: string): string {
  const called = process.argv[1] ?? 'panel'
  const program = basename(called) === 'panel' ? 'panel' : `node ${quoted(typable(resolve(called)))}`
  const isFound = dataDir === defaultDirectory() || dataDir === resolve('.panel')
  return isFound ? program : `PANEL_DATA_DIR=${quoted(typable(dataDir))} ${program}`
}

const typable = (path: string): string => {
  const shortened = relative(process.cwd(), path)
  return shortened.startsWith('..') ? path : shortened
}

/** Quotes a path for a shell. */
const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
