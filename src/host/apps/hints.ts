import type { AppUnit } from '../contract/apps.ts'

/** What a program's output says about its failure, and what to do. */
type Hint = readonly [pattern: RegExp, hint: (match: RegExpExecArray, app: HintedApp) => string]
type HintedApp = Pick<AppUnit, 'name' | 'kind' | 'listen'>

const wantsNumber =
  /ERR_SOCKET_BAD_PORT|(?:invalid|bad|not a valid|illegal) port|port (?:number )?(?:must|should) be|\bport\b.*(?:\bNaN\b|not a (?:valid )?(?:number|integer))|invalid literal for int\(\)|is not a valid integer|:NaN\b/i

/** The directory of a release, which only the host sees. */
const inRelease = /^\/.*?\/releases\/[^/]+\//

const hints: readonly Hint[] = [
  [
    wantsNumber,
    ({ input }, { name, listen }) =>
      listen === 'socket'
        ? `it wants a number as PORT, which is the path of a socket: panel apps update ${name} --listen port`
        : `it does not take PORT as a port: ${input.trim().slice(0, 200)}`,
  ],
  [
    /Missing script: "?([\w:.-]{1,80})"?/,
    ([, script], { name }) =>
      `package.json has no script ${script}: add it, or set the command (panel apps update ${name} --start or --build)`,
  ],
  [
    /can only install packages when your package\.json and|ERR_PNPM_OUTDATED_LOCKFILE|lockfile needs to be updated|YN0028|lockfile had changes/,
    () =>
      'package.json and the lock file do not match: install with your package manager, and add the lock file to the source',
  ],
  [
    /ERESOLVE/,
    (_, { name }) =>
      `packages ask for versions that exclude each other: panel apps update ${name} --install 'npm ci --legacy-peer-deps'`,
  ],
  [
    /(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH).*(?:registry|pypi)|(?:registry|pypi)\S* failed.*(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT)|Temporary failure in name resolution|Failed to establish a new connection/i,
    () => 'the registry of packages cannot be reached from this host: try again later',
  ],
  [
    /E404.*?\b(\S+) is not in this registry|E404\s+Not Found - GET (\S+)/,
    ([, one, other]) => `the registry has no package ${one ?? other}: a private one needs an .npmrc with a token`,
  ],
  [/No matching distribution found for (\S+)/, ([, name]) => `no package index has ${name} for this version of Python`],
  [
    /Cannot find (?:module|package) '([^']{1,200})'|ModuleNotFoundError: No module named '([^']{1,200})'/,
    ([, one, other]) => {
      const name = one ?? other ?? ''
      return /^[./]/.test(name)
        ? `the file ${name.replace(inRelease, '')} is missing: is it in the source, and does the start command name it as it is there?`
        : `${name} is not installed: is it among the dependencies of the source?`
    },
  ],
  [
    /(?:^|: )([\w@./-]{1,80}): (?:command )?not found$/,
    ([, program]) =>
      `there is no program ${program}: add it to the dependencies, or ask for it to be installed on the host`,
  ],
  [/heap out of memory|MemoryError|Cannot allocate memory/, () => 'it needs more memory than the account has'],
  [/ENOSPC|EDQUOT|Disk quota exceeded|No space left/, () => 'the disk quota of the account is used up'],
  [
    /EADDRINUSE.*?(\d{2,5})?$/,
    ([, port]) => `it listens on a fixed port${port ? ` (${port})` : ''}, which is in use: it must listen on PORT`,
  ],
]

/** The reason in a program's last lines, as a sentence that follows another; empty if none is known. */
export function hintIn(lines: readonly string[], app: HintedApp): string {
  for (const [pattern, hint] of hints)
    for (const line of lines.toReversed()) {
      const match = pattern.exec(line)
      if (match) return ` The log says why: ${hint(match, app).replace(/(?<!\?)$/, '.')}`
    }
  return ''
}
