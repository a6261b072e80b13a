const spelled: Readonly<Record<string, string>> = {
  acl: 'ACL',
  acme: 'ACME',
  api: 'API',
  autossl: 'AutoSSL',
  bw: 'bandwidth',
  ca: 'CA',
  cgi: 'CGI',
  cpu: 'CPU',
  db: 'database',
  dns: 'DNS',
  ftp: 'FTP',
  ip: 'IP',
  ips: 'IPs',
  mysql: 'MySQL',
  php: 'PHP',
  sql: 'databases',
  ssh: 'SSH',
  ssl: 'SSL',
  ttl: 'TTL',
  url: 'URL',
}

/** Endings of names that say what a number counts. */
const units: readonly (readonly [RegExp, string])[] = [
  [/_mbps$/, 'MB/s'],
  [/_mb$/, 'MB'],
  [/_pct$/, '%'],
  [/_s$/, 'seconds'],
  [/_days$/, 'days'],
  [/_hours$/, 'hours'],
]

export const unitOf = (name: string): string | undefined => units.find(([ending]) => ending.test(name))?.[1]

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `contact_email` -> "Contact email"; of an object, the name of what is in it. */
export function labelOf(name: string, isNumber = false): string {
  const last = name.split('.').at(-1) ?? name
  const [unit] = units.find(([ending]) => isNumber && ending.test(last)) ?? []
  const plain = (unit ? last.replace(unit, '') : last).replace(/(?<=.)_id$/, '')
  return sentence(
    plain
      .split('_')
      .map((word) => spelled[word] ?? word)
      .join(' '),
  )
}

/** A value of a closed set in words: `dns-01`, `/bin/bash` and other machine text stay as they are. */
export const optionLabel = (value: string): string =>
  /^[a-z]+(_[a-z]+)*$/.test(value) && value.length > 2 ? sentence(value.replaceAll('_', ' ')) : value
