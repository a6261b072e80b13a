/** The URL of a repository. */
export interface GitUrl {
  readonly scheme: 'https' | 'ssh'
  readonly user?: string
  /** In lower case; an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
}

const MAX_URL_LENGTH = 2048
const host = String.raw`(?<host>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])`
const user = `(?<user>[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63})`
const port = String.raw`(?::(?<port>[1-9]\d{0,4}))?`
// No space, control character, backslash or "::"; for ssh no percent sign either, which git decodes.
const rest = String.raw`(?<path>(?!-)(?:(?!::)[!-\[\]-~])+)`
const plain = String.raw`(?<path>(?!-)(?:(?!::)[!-$&-\[\]-~])+)`

const forms = {
  https: new RegExp(`^https://${host}${port}/${rest}$`, 'i'),
  ssh: new RegExp(`^ssh://(?:${user}@)?${host}${port}/${plain}$`, 'i'),
  short: new RegExp(`^${user}@${host}:${plain}$`),
} as const

const MAX_PORT = 65_535

/** Parses a repository's URL; undefined if git could interpret it differently. */
export function readGitUrl(text: string): GitUrl | undefined {
  if (text.length > MAX_URL_LENGTH) return undefined
  for (const [form, pattern] of Object.entries(forms)) {
    const groups = pattern.exec(text)?.groups
    if (groups) return urlOf(form === 'https' ? 'https' : 'ssh', groups)
  }
  return undefined
}

function urlOf(scheme: GitUrl['scheme'], found: Record<string, string | undefined>): GitUrl | undefined {
  const port = Number(found['port'] ?? (scheme === 'https' ? 443 : 22))
  if (port > MAX_PORT) return undefined
  const host = found['host']!.toLowerCase().replace(/^\[|\]$/g, '')
  return { scheme, host, port, ...(found['user'] && { user: found['user'] }) }
}
