import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runAgent } from '../../src/host/agent/service/run.ts'
import type { Kill } from './main.ts'

/** The host agent, with points at which it kills itself or its server like kill -9. */
const words = process.argv.slice(2)
const order = join(words[words.indexOf('--root') + 1] ?? '', '..', 'kill.json')
let passed = 0

function reached(point: string): void {
  const kill: Kill | undefined = existsSync(order) ? JSON.parse(readFileSync(order, 'utf8')) : undefined
  if (!kill || !point.startsWith(kill.point) || passed++ < kill.after) return
  rmSync(order)
  process.kill(kill.victim === 'agent' ? process.pid : process.ppid, 'SIGKILL')
}

void runAgent(words, reached)
