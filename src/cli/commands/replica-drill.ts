import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataDirectory } from '../../shared/directory.ts'
import { exit } from '../../shared/exit.ts'
import { replicaFile } from '../../shared/replica.ts'
import { CliError, interrupted } from '../errors.ts'
import { type Invocation, textOption } from '../invocation.ts'
import { printDocument } from '../output/document.ts'
import { data } from '../terminal.ts'
import { asWritten, programOf } from './replica/program.ts'
import { replicaIn } from './replica-status.ts'
import { storeProblem } from './store-problem.ts'

/** Restores the replica into a folder of its own, and reports its condition. */
export async function run(invocation: Invocation): Promise<void> {
  const { globals } = invocation
  const dataDir = dataDirectory(globals.dataDir)
  const { to } = replicaIn(dataDir)
  const program = programOf(textOption(invocation, 'program'))
  const folder = mkdtempSync(join(tmpdir(), 'panel-drill-'))
  try {
    const began = Date.now()
    const copy = join(folder, 'panel.db')
    await restore(program, dataDir, copy)
    const restore_seconds = (Date.now() - began) / 1000
    const { examineCopy } = await import('../../server/upkeep.ts')
    const found = examined(() => examineCopy(copy, dataDir, began))
    await say(invocation, { to, restore_seconds, ...found })
    if (found.integrity !== 'ok' || found.key !== 'fits') process.exitCode = exit.error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function examined<T>(look: () => T): T {
  try {
    return look()
  } catch (error) {
    throw storeProblem(error)
  }
}

function restore(program: string, dataDir: string, copy: string): Promise<void> {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const words = ['restore', '-config', replicaFile(dataDir), '-o', copy, asWritten, join(dataDir, 'panel.db')]
  // Registered first: a signal right after the start would leave the program running.
  const unheard = onStop(() => void child.kill('SIGKILL'))
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-2000)
  })
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(failed(error.message)))
    child.once('close', (code) => {
      if (unheard()) reject(interrupted('Interrupted'))
      else if (code === 0) resolve()
      else reject(failed(output.trim().split('\n').at(-1) ?? ''))
    })
  })
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Calls `act` on a signal, to delete the restored copy; returns a function that unsubscribes and tells if one arrived.
 */
function onStop(act: () => void): () => boolean {
  let isStopRequested = false
  const stop = (): void => {
    isStopRequested = true
    act()
  }
  for (const signal of signals) process.on(signal, stop)
  return () => {
    for (const signal of signals) process.off(signal, stop)
    return isStopRequested
  }
}

const failed = (reason: string): CliError =>
  new CliError(exit.error, {
    type: 'panel:problems/drill',
    title: `The second copy cannot be brought back: ${reason}`,
    hint: /no space left/.test(reason) ? 'set TMPDIR to a folder with room for the store' : 'panel replica status',
  })

interface DrillOutcome {
  readonly to: string
  readonly restore_seconds: number
  readonly integrity: string
  readonly counts: Readonly<Record<string, number>>
  readonly age_seconds: number
  readonly key: string
}

async function say({ globals }: Invocation, outcome: DrillOutcome): Promise<void> {
  if (globals.quiet) return
  if (globals.output !== 'table' && globals.output !== 'name') return printDocument(globals, outcome)
  const { to, restore_seconds, integrity, counts, age_seconds, key } = outcome
  data(`restored from ${to} in ${restore_seconds.toFixed(1)} s\n`)
  data(`integrity: ${integrity}; ${counts['accounts']} accounts\n`)
  data(
    `age: ${age_seconds === 0 ? 'no change is missing' : `the changes of the last ${age_seconds.toFixed(1)} s are missing`}\n`,
  )
  data(`secret.key: ${keys[key as keyof typeof keys]}\n`)
}

const keys = {
  fits: 'the one in the data directory opens it',
  other: 'the one in the data directory is another: keep the right one, or no server can take over',
  missing: 'missing: without it no server can take over',
}
