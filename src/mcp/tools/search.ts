import { areas } from '../../contract/areas.ts'
import type { Declaration } from '../../contract/operation.ts'
import { isDestructive } from '../../contract/reach.ts'
import { isRead, reachable } from '../operations.ts'
import type { ToolResult } from '../result.ts'
import type { McpSession } from '../session.ts'
import { type Arguments, textIn } from './arguments.ts'

const MAX_QUERY_LENGTH = 200
const MAX_HITS = 12

/** What people say for what the contract calls otherwise. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  customer: ['account'],
  user: ['account'],
  mail: ['email', 'mailbox'],
  inbox: ['mailbox'],
  mysql: ['database'],
  db: ['database'],
  https: ['certificate', 'ssl'],
  tls: ['certificate', 'ssl'],
  plan: ['package'],
  website: ['domain', 'site'],
  site: ['domain'],
  hosting: ['account'],
  remove: ['delete'],
  add: ['create'],
  new: ['create'],
  edit: ['update', 'change'],
  modify: ['update', 'change'],
  redirect: ['redirects'],
  disk: ['usage'],
  quota: ['usage', 'limits'],
  block: ['suspend'],
  unblock: ['unsuspend'],
  crontab: ['cron'],
  history: ['audit', 'events'],
}

const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => (word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word))
    .filter(Boolean)

interface Indexed {
  readonly op: Declaration
  readonly weights: ReadonlyMap<string, number>
}

function indexed(op: Declaration): Indexed {
  const weights = new Map<string, number>()
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) weights.set(word, Math.max(weights.get(word) ?? 0, weight))
  }
  add(areas[op.area], 1)
  add([op.params, op.query, op.body].flatMap((part) => Object.keys(part?.shape ?? {})).join(' '), 1)
  add(op.description ?? '', 1)
  add(op.path.replace(/\{\w+\}/g, ' '), 2)
  add((op.cli?.words ?? []).join(' '), 4)
  add(op.summary, 4)
  add(op.id, 5)
  return { op, weights }
}

/** Filled by the first search of a process: an operation never changes. */
const index = new Map<Declaration, Indexed>()

function indexOf(op: Declaration): Indexed {
  const own = index.get(op) ?? indexed(op)
  index.set(op, own)
  return own
}

const common = new Set(['a', 'an', 'the', 'of', 'to', 'for', 'in', 'on', 'my', 'me', 'it', 'is', 'and', 'how', 'with'])

function scoreOf({ op, weights }: Indexed, words: readonly string[]): number {
  let score = 0
  for (const word of words) {
    const own = weights.get(word) ?? 0
    const others = (synonyms[word] ?? []).map((one) => (weights.get(wordsOf(one)[0] ?? one) ?? 0) * 0.8)
    const parts =
      own > 0
        ? 0
        : ([...weights]
            .filter(([one]) => one.length > 3 && word.length > 3 && (one.startsWith(word) || word.startsWith(one)))
            .map(([, weight]) => weight * 0.6)[0] ?? 0)
    score += Math.max(own, parts, ...others)
  }
  // Of two that match as well, the one with less besides is meant.
  return score === 0 ? 0 : score - wordsOf(op.id).length * 0.1
}

/** An operation in one line. */
export function lineOf(op: Declaration): string {
  const kind = isRead(op) ? 'read' : isDestructive(op) ? 'change, destructive' : 'change'
  return `${op.summary} (${kind})`
}

/** Finds operations by words. */
export function searchOperations(session: McpSession, args: Arguments): ToolResult {
  const words = wordsOf(textIn(args, 'query', MAX_QUERY_LENGTH)).filter((word) => !common.has(word))
  const hits = reachable(session)
    .map((op) => ({
      op,
      score: scoreOf(indexOf(op), words),
    }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
  const operations = hits.slice(0, MAX_HITS).map(({ op }) => ({ id: op.id, line: lineOf(op) }))
  if (operations.length > 0) return { operations }
  return { operations, next: `Try one of these words: ${Object.keys(areas).join(', ')}.` }
}
