import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitUrl, readGitUrl } from '../../../shared/git-url.ts'
import type { GitSource } from '../../contract/commands/apps.ts'
import { HostError } from '../../contract/error.ts'
import { markName } from '../../tenant/mark.ts'
import type { Program, ProgramEnd } from '../../tenant/program.ts'
import type { BuildLog } from '../build-log.ts'
import { failureOf, type Remote, redirectIn } from './failure.ts'
import { gitCalls, keyAlias, remoteRefsCall, sshCommand } from './words.ts'

export interface Fetching {
  readonly source: GitSource
  /** An empty directory for the repository's files. */
  readonly cwd: string
  /** A directory for the key; removed at the end. */
  readonly separate: string
  readonly mark: string
  readonly timeoutMs: () => number
  readonly signal?: AbortSignal | undefined
  readonly log: BuildLog
  readonly run: (program: Program) => Promise<ProgramEnd>
}

export interface Fetched {
  readonly commit: string
  readonly hostKey?: string
}

/** Fetches one revision of a repository; git's own files remain in `.git`. */
export async function fetchRepository(fetching: Fetching): Promise<Fetched> {
  const { source, separate } = fetching
  const url = readGitUrl(source.url)
  if (!url) throw new HostError('stage', 'The address of the repository is not one that git may be given.')
  await rm(separate, { recursive: true, force: true })
  await mkdir(separate, { mode: 0o700 })
  try {
    if (url.scheme === 'ssh') await prepareSsh(source, separate)
    await fetchFollowing(fetching, url)
    const commit = await commitOf(fetching)
    const hostKey = url.scheme === 'ssh' ? await presentedKey(separate) : undefined
    return { commit, ...(hostKey && { hostKey }) }
  } finally {
    await rm(separate, { recursive: true, force: true })
  }
}

const MAX_REDIRECTS = 3

/** A repository's own host may say that it is elsewhere on it, as without `.git`. */
async function fetchFollowing(fetching: Fetching, url: GitUrl, redirects = MAX_REDIRECTS): Promise<void> {
  const { source, log } = fetching
  const failed = await firstFailed(fetching, gitCalls(url, source))
  if (!failed) return
  const remote = await askRemote(fetching, url)
  const next = url.scheme === 'https' && redirects > 0 ? redirectIn(source.url, remote.trace) : undefined
  const place = next === undefined ? undefined : readGitUrl(next)
  if (next === undefined || !place) throw new HostError('stage', failureOf(source, remote, failed))
  log.line(`${source.url} is redirected to ${next}, which is fetched: set git_url to it.`)
  return fetchFollowing({ ...fetching, source: { ...source, url: next } }, place, redirects - 1)
}

/** The output of the first call that fails. */
async function firstFailed(fetching: Fetching, calls: readonly string[][]): Promise<readonly string[] | undefined> {
  for (const words of calls) {
    const lines: string[] = []
    const end = await call(fetching, words, (line) => void lines.push(line))
    for (const line of lines) fetching.log.line(line)
    if (end.exitCode !== 0) return lines.map(fetching.log.masked)
  }
  return undefined
}

const MAX_REMOTE_LINES = 20_000
const MAX_REMOTE_LINE_LENGTH = 2_200
const isTrace = (line: string): boolean => /^\d\d:\d\d:\d\d\.\d+ http\.c/.test(line)

/** Its branches and tags, or why it does not show them; the trace has the headers of answers. */
async function askRemote(fetching: Fetching, url: GitUrl): Promise<Remote & { readonly trace: readonly string[] }> {
  const { masked } = fetching.log
  const [output, trace]: [string[], string[]] = [[], []]
  const line = (text: string): void => {
    const list = isTrace(text) ? trace : output
    if (list.length < MAX_REMOTE_LINES) list.push(masked(text).slice(0, MAX_REMOTE_LINE_LENGTH))
  }
  const env = { GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' }
  const { exitCode } = await call(fetching, remoteRefsCall(url, fetching.source), line, env)
  return { isReached: exitCode === 0, output, trace }
}

async function prepareSsh({ deployKey, hostKey }: GitSource, separate: string): Promise<void> {
  const known = hostKey === undefined ? '' : `${keyAlias} ${hostKey}\n`
  await writeFile(join(separate, 'known_hosts'), known, { mode: 0o600 })
  if (deployKey !== undefined) await writeFile(join(separate, 'key'), deployKey, { mode: 0o600 })
}

async function presentedKey(separate: string): Promise<string | undefined> {
  const [line] = (await readFile(join(separate, 'known_hosts'), 'utf8')).split('\n')
  return line?.startsWith(`${keyAlias} `) ? line.slice(keyAlias.length + 1).trim() : undefined
}

const passedOn = ['GIT_SSL_CAINFO', 'TZ'] as const

function environmentOf({ source, separate, mark }: Fetching): NodeJS.ProcessEnv {
  const passed = passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))
  return {
    ...Object.fromEntries(passed),
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: join(separate, 'home'),
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: 'https:ssh',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_SSH_VARIANT: 'ssh',
    GIT_SSH_COMMAND: sshCommand(source),
    PANEL_GIT: separate,
    [markName]: mark,
  }
}

async function call(
  fetching: Fetching,
  words: readonly string[],
  line: (text: string) => void,
  more: NodeJS.ProcessEnv = {},
): Promise<ProgramEnd> {
  const { cwd, mark, signal, source, run, timeoutMs } = fetching
  const env = { ...environmentOf(fetching), ...more }
  const secret = credentialOf(source)
  const end = await run({ words, cwd, env, mark, signal, timeoutMs: timeoutMs(), secret, line })
  if (end.timedOut) throw new HostError('stage', 'The repository was not fetched within the time for a build.')
  return end
}

/** In the format of git's credential helpers. */
function credentialOf({ username = 'git', password }: GitSource): string {
  return password === undefined ? 'quit=1\n' : `username=${username}\npassword=${password}\n`
}

async function commitOf(fetching: Fetching): Promise<string> {
  let commit = ''
  await call(fetching, ['git', 'rev-parse', '--verify', 'HEAD'], (line) => {
    commit = line.trim()
  })
  if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit)) return commit
  throw new HostError('stage', `The repository ${fetching.source.url} has no commit: push one to it first.`)
}
