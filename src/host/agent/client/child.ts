import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import type { Channel, Transport } from './transport.ts'

const connection = 3
const keptOutput = 4096

/** The agent as a process of its own below this one, which ends when its connection does. */
export function childTransport(words: readonly string[], said: (line: string) => void): Transport {
  return () =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, words, {
        cwd: '/',
        env: environment(),
        stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      })
      child.once('error', (error) => reject(new Error(`The host agent could not be started: ${error.message}.`)))
      child.once('spawn', () => resolve(channelOf(child, said)))
    })
}

/** Nothing of what this process was told reaches the agent. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, TZ } = process.env
  return { ...(PATH && { PATH }), ...(TZ && { TZ }) }
}

function channelOf(child: ChildProcess, said: (line: string) => void): Channel {
  let output = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-keptOutput)
    for (const line of text.split('\n')) if (line.trim()) said(line)
  })
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(endOf(code, signal, output)))
  })
  return { stream: child.stdio[connection] as Duplex, ended, kill: () => void child.kill('SIGKILL') }
}

function endOf(code: number | null, signal: NodeJS.Signals | null, output: string): string {
  if (signal) return `The host agent was stopped by ${signal}.`
  if (code === 0) return 'The host agent exited.'
  const lines = output.trim().split('\n')
  const said = lines.find((line) => /^\w*error\b/i.test(line)) ?? lines.at(-1)
  return said ? `The host agent exited: ${said.replace(/\.$/, '')}.` : `The host agent exited with code ${code}.`
}
