import { type Command, table } from '../table.ts'
import { each } from './synonyms.ts'

/** What a typed verb may mean in a command, the likeliest first. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  ...each('create new make register generate', 'create add install issue'),
  ...each('add', 'add create install issue'),
  ...each('upload import put send', 'upload import install save deploy'),
  ...each('renew order request letsencrypt certbot', 'issue'),
  ...each('delete remove rm del destroy drop erase', 'delete remove terminate revoke uninstall'),
  ...each('terminate revoke uninstall', 'terminate revoke uninstall remove delete'),
  ...each('update edit modify alter', 'update set change'),
  ...each('set change reset configure', 'set update change reset'),
  ...each('list ls all', 'list'),
  ...each('show view info get describe', 'show list'),
  ...each('enable activate', 'enable set'),
  ...each('disable deactivate', 'disable set suspend'),
  ...each('lock block pause', 'suspend stop'),
  ...each('unlock unblock resume', 'unsuspend start'),
  ...each('trigger execute', 'run'),
  ...each('impersonate login signin', 'sso'),
  ...each('test verify validate', 'test verify check'),
  ...each('push publish', 'deploy'),
  ...each('resend replay', 'redeliver'),
  ...each('history', 'runs deliveries releases'),
  ...each('find search', 'lookup'),
}

/** Nouns for the members of a group, which name it as well as its own word does. */
const members: Readonly<Record<string, string>> = {
  accounts: 'user customer client',
  domains: 'site website vhost',
  dns: 'zone',
  ssl: 'certificate cert tls https',
  email: 'mailbox mailboxes mail inbox',
  'email forwarders': 'forward alias aliases',
  'email autoresponder': 'vacation',
  mysql: 'mariadb db',
  cron: 'cronjob crontab',
  apps: 'application',
  wordpress: 'wp',
  files: 'folder directory',
  backups: 'snapshot',
  packages: 'plan',
  webhooks: 'hook',
  acls: 'privilege',
  'backup-destinations': 'destination',
}

/** Nouns that several groups have, so that they name none by themselves. */
const commonNouns: Readonly<Record<string, string>> = {
  email: 'account address',
  ftp: 'account user login',
  cron: 'job',
  tokens: 'api key',
  ssl: 'key',
  nodes: 'server',
}

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/(?<=..[^sau])s$/, '')

/** `email create-forwarder`: email, create, forwarder. */
const partsOf = (words: readonly string[]): string[] => words.flatMap((word) => word.toLowerCase().split('-'))

const nounsOf = (text: string | undefined): string[] => (text ? text.split(' ').map(singular) : [])

/** `passwd` is two words in the commands. */
const spelledOut = (typed: readonly string[]): string[] =>
  typed.flatMap((word) => (/^(passwd|password)$/.test(word) ? ['set', 'password'] : [word]))

export interface Guess {
  readonly command: Command
  /** How many of the typed words name the command. */
  readonly length: number
  /** The lower, the likelier. */
  readonly cost: number
}

const COST = { perMeaning: 0.1, otherNumber: 0.25, partOfGroup: 0.5, noGroupButObject: 1, noGroup: 2 }
/** Costs that differ by less are the same. */
const MARGIN = 0.2
/** No command with its object has more words. */
const MAX_WORDS = 4

/** The commands that the beginning of a line may mean: several if it is ambiguous. */
export function guesses(typed: readonly string[]): Guess[] {
  for (let length = Math.min(MAX_WORDS, typed.length); length > 0; length--) {
    const found = meantBy(partsOf(typed.slice(0, length))).map((one) => ({ ...one, length }))
    const least = Math.min(...found.map(({ cost }) => cost))
    if (found.length > 0) return found.filter(({ cost }) => cost < least + MARGIN)
  }
  return []
}

const meantBy = (typed: readonly string[]): Omit<Guess, 'length'>[] =>
  table.commands.flatMap((command) => {
    const costs = [typed, spelledOut(typed)].map((words) => costOf(words, command))
    const known = costs.filter((cost) => cost !== undefined)
    return known.length > 0 ? [{ command, cost: Math.min(...known) }] : []
  })

/** The only command that can be meant, if its group was typed. */
export function certain(found: readonly Guess[]): Guess | undefined {
  const [only] = found
  return only && found.length === 1 && only.cost < COST.noGroup ? only : undefined
}

/** How unlikely these words mean the command: all of them must be used, and all of the command's last word typed. */
function costOf(typed: readonly string[], { words, operation, variant }: Command): number | undefined {
  const groups = words.slice(0, -1)
  const names = new Names(groups, table.operations[operation ?? variant ?? '']?.list !== undefined)
  const required = partsOf(words.slice(-1))
  const hasObject = required.length > 1
  let cost = 0
  for (const word of typed) {
    const action = actionCost(word, required)
    if (action === undefined && !names.take(word)) return undefined
    cost += action ?? 0
  }
  if (required.length > 0) return undefined
  return cost + names.cost(hasObject)
}

/** Takes what a typed word means from the parts of a command's last word. */
function actionCost(typed: string, required: string[]): number | undefined {
  for (const [at, meant] of [typed, ...(meanings[typed] ?? [])].entries()) {
    const place = required.findIndex((part) => singular(part) === singular(meant))
    if (place < 0) continue
    const [part] = required.splice(place, 1)
    return at * COST.perMeaning + (part === meant ? 0 : COST.otherNumber)
  }
  return undefined
}

/** The groups of a command, by their own words or by nouns for what they have. */
class Names {
  readonly #groups: { readonly parts: string[]; readonly nouns: string[]; isNamed: boolean }[]
  readonly #others: string[]

  constructor(groups: readonly string[], isList: boolean) {
    const paths = groups.map((_, at) => groups.slice(0, at + 1).join(' '))
    this.#groups = groups.map((group, at) => ({
      parts: partsOf([group]).map(singular),
      nouns: nounsOf(members[paths[at]!]),
      isNamed: false,
    }))
    const verbs = isList ? ['list', 'ls', 'all', 'show', 'get', 'view'] : []
    this.#others = [...paths.flatMap((path) => nounsOf(commonNouns[path])), ...verbs]
  }

  take(typed: string): boolean {
    const word = singular(typed)
    const group = this.#groups.find(({ parts, nouns }) => parts.includes(word) || nouns.includes(word))
    if (!group) return remove(this.#others, word)
    group.isNamed ||= group.nouns.includes(word)
    return remove(group.parts, word) || remove(group.nouns, word)
  }

  /** The cost of groups that were not typed. */
  cost(hasObject: boolean): number {
    const missing = this.#groups.filter(({ parts, isNamed }) => parts.length > 0 && !isNamed)
    if (missing.length > 0 && missing.length === this.#groups.length)
      return hasObject ? COST.noGroupButObject : COST.noGroup
    return missing.length * COST.partOfGroup
  }
}

function remove(from: string[], word: string): boolean {
  const at = from.indexOf(word)
  if (at >= 0) from.splice(at, 1)
  return at >= 0
}
