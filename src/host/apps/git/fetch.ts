import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readGitUrl } from '../../../shared/git-url.ts'
import type { GitSource } from '../../contract/apps.ts'
import { HostError } from '../../contract/error.ts'
import { markName } from '../../tenant/mark.ts'
import type { Program, ProgramEnd } from '../../tenant/program.ts'
import type { BuildLog } from '../build-log.ts'
import { gitCalls, keyAlias, sshCommand } from './words.ts'

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
    for (const words of gitCalls(url, source)) await call(fetching, words)
    const commit = await commitOf(fetching)
    const hostKey = url.scheme === 'ssh' ? await presentedKey(separate) : undefined
    return { commit, ...(hostKey && { hostKey }) }
  } finally {
    await rm(separate, { recursive: true, force: true })
  }
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

async function call(fetching: Fetching, words: readonly string[], line = fetching.log.line): Promise<void> {
  const { cwd, mark, signal, log, source, run } = fetching
  const end = await run({
    words,
    cwd,
    env: environmentOf(fetching),
    mark,
    signal,
    timeoutMs: fetching.timeoutMs(),
    secret: credentialOf(source),
    line,
  })
  if (end.timedOut) throw new HostError('stage', 'The repository was not fetched within the time for a build.')
  if (end.exitCode !== 0) throw new HostError('stage', reasonIn(log.last, source))
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
  throw new HostError('stage', 'The repository has no commit.')
}

function reasonIn(output: readonly string[], { hostKey }: GitSource): string {
  if (hostKey !== undefined && output.some((line) => /host key verification failed/i.test(line)))
    return 'The host of the repository did not show the host key that is pinned: set host_key to null to accept the new one.'
  // ssh's own message says more than what git makes of it.
  const isPrinted = (pattern: RegExp) => output.findLast((line) => pattern.test(line))
  const line = isPrinted(/^ssh:|permission denied/i) ?? isPrinted(/^(?:fatal|error|remote):/) ?? output.at(-1)
  return `The repository could not be fetched${line ? `: ${line.replace(/[.\s]+$/, '')}` : ''}.`
}
