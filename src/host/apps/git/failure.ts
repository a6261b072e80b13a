import { isCommitHash } from '../../../shared/git-ref.ts'
import { type GitUrl, readGitUrl } from '../../../shared/git-url.ts'
import type { GitSource } from '../../contract/commands/apps.ts'

/** A repository's response to `ls-remote`. */
export interface Remote {
  readonly isReached: boolean
  readonly output: readonly string[]
}

type FailedSource = Pick<GitSource, 'url' | 'ref' | 'password' | 'hostKey'>

/** Why a repository could not be fetched, and what to do. */
export function failureOf(source: FailedSource, remote: Remote, clone: readonly string[]): string {
  const { url } = source
  return remote.isReached
    ? missingIn(source, refsIn(remote.output), clone)
    : unreachable(source, [...clone, ...remote.output], readGitUrl(url)!)
}

interface Refs {
  /** The branch that is shown first. */
  readonly head?: string
  readonly branches: readonly string[]
  readonly tags: readonly string[]
}

/** Reads the output of `git ls-remote --symref`. */
export function refsIn(output: readonly string[]): Refs {
  const named = (kind: string): string[] =>
    output.flatMap((line) => new RegExp(`^[0-9a-f]{40,64}\\trefs/${kind}/([^\\s^]+)$`).exec(line)?.[1] ?? [])
  const head = output.map((line) => /^ref: refs\/heads\/(\S+)\tHEAD$/.exec(line)?.[1]).find((one) => one !== undefined)
  return { branches: named('heads'), tags: named('tags'), ...(head !== undefined && { head }) }
}

const MAX_NAMES = 5

function missingIn({ url, ref }: FailedSource, { head, branches, tags }: Refs, clone: readonly string[]): string {
  if (branches.length + tags.length === 0) return `The repository ${url} is empty: push a commit to it first.`
  const first = branches.toSorted((a, b) => Number(b === head) - Number(a === head))
  if (isCommitHash(ref))
    return `commit ${ref} not found; the repository has ${listed(first, 'branch', 'branches')}. Some hosts serve only the commits that a branch or tag names.`
  if (ref !== undefined && !branches.includes(ref) && !tags.includes(ref))
    return `branch ${ref} not found; the repository has ${listed(first, 'branch', 'branches')}${tags.length > 0 ? ` and ${listed(tags.toReversed(), 'tag', 'tags')}` : ''}.`
  if (ref === undefined && (head === undefined || !branches.includes(head)))
    return `The repository names no default branch that exists; it has ${listed(first, 'branch', 'branches')}: choose one with --git-branch or --ref.`
  return `git clone of ${url} failed${quoted(clone)}. The repository answers and has the branch: try again.`
}

function listed(names: readonly string[], one: string, many: string): string {
  if (names.length === 0) return `no ${many}`
  const more = names.length - MAX_NAMES
  return `${names.length === 1 ? one : many} ${names.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** What a program printed, as evidence after a reason. */
function quoted(output: readonly string[]): string {
  const line = output.findLast((one) => /^(?:fatal|error|remote):/i.test(one)) ?? output.at(-1)
  const text = line?.replace(/^(?:fatal|error|remote):\s*/i, '').replace(/[.\s]+$/, '')
  return text ? ` (git: "${text.slice(0, 300)}")` : ''
}

type Reason = readonly [pattern: RegExp, text: (of: FailedSource & { readonly place: GitUrl }, found: string) => string]

const at = ({ host, port, scheme }: GitUrl): string =>
  port === (scheme === 'https' ? 443 : 22) ? host : `${host}, port ${port}`

const needsAccess = ({ url, password }: FailedSource): string =>
  password === undefined
    ? `The repository ${url} is private, or does not exist: it needs a token or a deploy key. Set --git-password (and --git-username), or --git-url to its ssh address, whose deploy key panel apps show prints.`
    : `The repository ${url} refuses this username and token, or does not exist: check --git-username, --git-password and that the token may read it.`

const reasons: readonly Reason[] = [
  [
    /host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/i,
    ({ place, hostKey }) =>
      hostKey === undefined
        ? `${at(place)} showed no host key that ssh accepts.`
        : 'The host of the repository did not show the host key that is pinned: set host_key to null to accept the new one.',
  ],
  [
    /permission denied/i,
    ({ place }) =>
      `${at(place)} refuses the deploy key: add the deploy_key that panel apps show prints to the repository (or the user in the address is wrong).`,
  ],
  [
    /could not read (?:username|password)|terminal prompts disabled|credential helper|authentication failed|returned error: 40[13]|access denied|HTTP Basic/i,
    needsAccess,
  ],
  [
    /repository not found|does not appear to be a git repository|project you were looking for|repository .* (?:not found|does not exist)|returned error: 404|not a git repository/i,
    (of, found) =>
      of.place.scheme === 'ssh'
        ? `repository not found at ${of.url}: check the path, and that the deploy key is added to it (the host: "${found}").`
        : `repository not found at ${of.url}: check the address; a private one also needs --git-password.`,
  ],
  [
    /returned error: 3\d\d|redirect/i,
    ({ url }) => `${url} answers with a redirect that leads elsewhere: set --git-url to the new address.`,
  ],
  [
    /certificate|SSL|TLS/i,
    ({ place }, found) => `The certificate of ${at(place)} is not trusted by this server ("${found}").`,
  ],
  [
    /connection refused|timed out|no route to host|network is unreachable|failed to connect|couldn't connect|connection (?:reset|closed)|could not resolve/i,
    ({ place }, found) => `${at(place)} cannot be reached ("${found}"): check the address, or try again later.`,
  ],
  [
    /returned error: (?:5\d\d|429)/,
    ({ place }, found) => `${at(place)} has a fault of its own ("${found}"): try again later.`,
  ],
  [
    /info\/refs not valid|is this a git repository/i,
    ({ url }) => `${url} answers, but is not a git repository: check the address.`,
  ],
]

function unreachable(source: FailedSource, output: readonly string[], place: GitUrl): string {
  for (const [pattern, text] of reasons) {
    const line = output.findLast((one) => pattern.test(one))
    if (line !== undefined)
      return text(
        { ...source, place },
        line
          .replace(/^(?:fatal|error|remote|ssh):\s*/i, '')
          .slice(0, 200)
          .trim(),
      )
  }
  return `git ls-remote ${source.url} failed${quoted(output)}: check the address and the access to it.`
}

const MAX_REDIRECT_LENGTH = 2048

/**
 * The address that a repository's own host redirects to, from git's trace: git follows none itself, since another host
 * was not approved.
 */
export function redirectIn(url: string, trace: readonly string[]): string | undefined {
  const location = trace
    .map((line) => /(?:<=|recv) .*\blocation:\s*(\S+)\s*$/i.exec(line)?.[1])
    .findLast((one) => one !== undefined)
  if (location === undefined || location.length > MAX_REDIRECT_LENGTH || !URL.canParse(location, `${url}/info/refs`))
    return undefined
  const next = new URL(location, `${url}/info/refs`)
  const path = /^(.+)\/info\/refs$/.exec(next.pathname)?.[1]
  const [from, to] = [readGitUrl(url), readGitUrl(`https://${next.host}${path ?? ''}`)]
  const isSame = from && to && next.protocol === 'https:' && from.host === to.host && from.port === to.port
  const target = `https://${next.host}${path}`
  return isSame && path !== undefined && next.username === '' && target !== url ? target : undefined
}
