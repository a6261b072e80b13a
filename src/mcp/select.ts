import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ToolFailure } from './failure.ts'

export const MAX_EXPRESSION_LENGTH = 200
export const MAX_SELECTED_BYTES = 1024 * 1024
export const SELECT_TIMEOUT_MS = 100
/** A thread starts in less; it is not counted. */
const START_TIMEOUT_MS = 5_000
const MAX_HEAP_MB = 64
const MAX_THREADS = 4

/** Evaluates in a thread: an expression may take exponential time, and the thread can be ended. */
const source = `const { parentPort, workerData: { module } } = require('node:worker_threads')
const { search } = require(module)
parentPort.once('message', ({ value, expression }) => {
  try {
    parentPort.postMessage({ value: JSON.stringify(search(JSON.parse(value), expression) ?? null) })
  } catch (error) {
    parentPort.postMessage({ error: String(error.message) })
  }
})
parentPort.postMessage('ready')`

let running = 0

/** Part of an answer, by a JMESPath expression: bounded in length, size, memory and time. */
export async function select(value: unknown, expression: string): Promise<unknown> {
  if (expression.length > MAX_EXPRESSION_LENGTH) throw invalid(`must not exceed ${MAX_EXPRESSION_LENGTH} characters`)
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) > MAX_SELECTED_BYTES)
    throw invalid(`works on at most ${MAX_SELECTED_BYTES} bytes; read fewer rows with per_page`)
  if (running >= MAX_THREADS)
    throw new ToolFailure('overloaded', 'Too many selections are running.', 'Try again in a second.')
  running++
  const answer = await inThread(text, expression).finally(() => running--)
  if (answer.error !== undefined) throw invalid(answer.error.slice(0, 200))
  return JSON.parse(answer.value ?? 'null')
}

interface Evaluated {
  readonly value?: string
  readonly error?: string
}

function inThread(value: string, expression: string): Promise<Evaluated> {
  const thread = new Worker(source, {
    eval: true,
    execArgv: [],
    env: {},
    workerData: { module: moduleFile() },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, stackSizeMb: 2 },
  })
  return new Promise<Evaluated>((resolve) => {
    let timer = setTimeout(() => resolve({ error: 'could not be evaluated' }), START_TIMEOUT_MS)
    thread.on('message', (message: 'ready' | Evaluated) => {
      if (message !== 'ready') return resolve(message)
      clearTimeout(timer)
      timer = setTimeout(() => resolve({ error: `took more than ${SELECT_TIMEOUT_MS} ms` }), SELECT_TIMEOUT_MS)
      thread.postMessage({ value, expression })
    })
    thread.once('error', () => resolve({ error: 'could not be evaluated' }))
    thread.once('exit', () => {
      clearTimeout(timer)
      resolve({ error: 'could not be evaluated' })
    })
  }).finally(() => thread.terminate())
}

/** The package: the build puts it beside the bundles. */
function moduleFile(): string {
  const built = fileURLToPath(new URL('../vendor/jmespath-community-jmespath.cjs', import.meta.url))
  return existsSync(built) ? built : createRequire(import.meta.url).resolve('@jmespath-community/jmespath')
}

const invalid = (message: string): ToolFailure =>
  new ToolFailure('validation', `select: ${message}`, 'select is a JMESPath expression, such as items[].name.', {
    select: message,
  })
