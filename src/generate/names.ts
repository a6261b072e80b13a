/** `disk_quota_mb`, `isolation.cpu_pct` -> `disk-quota-mb`, `isolation-cpu-pct`. */
export const kebab = (name: string): string => name.replace(/[._]/g, '-').toLowerCase()

/** `packages` -> `package`, `deliveries` -> `delivery`. */
function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(ss|x|ch)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

/** `job_id` in `/accounts/{id}/jobs/{jid}`: the parameter's collection is `/accounts/{id}/jobs`. */
export function collectionOf(path: string, parameter: string): string {
  return path.slice(0, path.indexOf(`/{${parameter}}`))
}

/** The last word of a collection's path. */
const lastSegment = (collection: string): string => collection.split('/').at(-1) ?? ''

/** Members that are called by another word than their list. */
const called: Readonly<Record<string, string>> = {
  '/accounts/{id}/email/accounts': 'mailbox',
  '/accounts/{id}/ftp/accounts': 'login',
  '/accounts/{id}/trash': 'trash-item',
  '/accounts/{id}/wordpress': 'site',
  '/smtp-relays': 'relay',
}

/** What a member of a collection is called. */
export const memberOf = (collection: string): string => called[collection] ?? singular(lastSegment(collection))

/** Options that every command or every kind of command has: a field of that name gets another. */
const reserved = new Set([
  ...['all', 'columns', 'color', 'context', 'curl', 'data', 'data-dir', 'debug', 'dry-run', 'headers', 'help'],
  ...['idempotency-key', 'open', 'output', 'quiet', 'select', 'sort', 'version', 'watch', 'yes'],
])

/** Fields whose options have other names: `--sort` sorts the rows that came. */
const otherwise: Readonly<Record<string, string>> = { q: 'search', sort: 'order-by', for_s: 'for' }

/** The option that carries a field. */
export function optionName(name: string): string {
  const plain = otherwise[name] ?? kebab(name.replace(/^new_(?=password$)/, ''))
  return reserved.has(plain) ? `set-${plain}` : plain
}
