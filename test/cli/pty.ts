import { spawn, spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { bin, environment } from './run.ts'

/** Whether a terminal can be emulated. */
export const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false

export interface Seen {
  readonly code: number
  readonly text: string
}

/** What is on the screen before something is typed, and what is typed then. */
export type Dialogue = readonly (readonly [string, string])[]

/** Runs a command on a terminal; types each answer once its question is on the screen. */
export async function typed(
  line: string,
  env: Record<string, string>,
  dialogue: Dialogue = [],
  columns = 120,
): Promise<Seen> {
  const command = `stty cols ${columns}; "${process.execPath}" "${bin}" ${line}`
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: environment({ TERM: 'xterm', ...env }) })
  const waiting = [...dialogue]
  let text = ''
  let from = 0
  child.stdout.on('data', (chunk) => {
    text += chunk
    const [next] = waiting
    const fresh = stripVTControlCharacters(text)
    if (!next || !fresh.slice(from).includes(next[0])) return
    waiting.shift()
    from = fresh.length
    setTimeout(() => child.stdin.write(next[1]), 50)
  })
  const code = await new Promise<number>((resolve) => {
    child.on('close', (status) => resolve(status ?? -1))
  })
  return { code, text: stripVTControlCharacters(text).replaceAll('\r', '') }
}
