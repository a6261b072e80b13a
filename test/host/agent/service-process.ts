import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { builtAgent } from '../../built.ts'

export interface AgentProcess {
  readonly process: ChildProcess
  readonly ended: Promise<number | NodeJS.Signals>
  /** Its output on standard error. */
  output(): string
  kill(): Promise<number | NodeJS.Signals>
}

/** The agent as a service below a directory, in its own process that listens. */
export async function startAgent(root: string, socket: string, entry?: string): Promise<AgentProcess> {
  const words = [...(await builtAgent(entry)), '--root', root, '--socket', socket]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  const kill = () => {
    child.kill('SIGKILL')
    return ended
  }
  onTestFinished(() => void kill())
  while (child.exitCode === null && child.signalCode === null && !(await answers(socket)))
    await new Promise((resolve) => setTimeout(resolve, 10))
  return { process: child, ended, kill, output: () => output }
}

const answers = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const stream = connect(socket)
    stream.once('error', () => resolve(false)).once('connect', () => resolve(true))
    stream.once('connect', () => stream.destroy())
  })
