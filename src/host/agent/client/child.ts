import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Channel, Transport } from './transport.ts'

/** The socket's folder, relative to the root. */
export const agentFolder = 'run/panel'

const connection = 3
const MAX_OUTPUT_LENGTH = 4096
const passedOn = ['PATH', 'TZ', 'GIT_SSL_CAINFO', 'SSL_CERT_FILE']

/** The agent as a child process, which ends when its connection does, and listens for bulk in a folder. */
export function childTransport(words: readonly string[], folder: string, lastLines: (line: string) => void): Transport {
  return () =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, words, {
        cwd: '/',
        env: environment(),
        stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      })
      child.once('error', (error) => reject(new Error(`The host agent could not be started: ${error.message}.`)))
      child.once('spawn', () => resolve(channelOf(child, folder, lastLines)))
    })
}

/** Passes on only what determines trust, and the time zone. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

function channelOf(child: ChildProcess, folder: string, lastLines: (line: string) => void): Channel {
  let output = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT_LENGTH)
    for (const line of text.split('\n')) if (line.trim()) lastLines(line)
  })
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(endOf(code, signal, output)))
  })
  const bulk = () => bulkIn(folder)
  return { stream: child.stdio[connection] as Duplex, ended, bulk, kill: () => void child.kill('SIGKILL') }
}

/** Through a descriptor of the folder: a socket path is limited to 107 bytes. */
function bulkIn(folder: string): Promise<Duplex> {
  const directory = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  const socket = connect({ path: `/proc/self/fd/${directory}/agent.sock`, allowHalfOpen: true })
  return new Promise<Duplex>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  }).finally(() => closeSync(directory))
}

function endOf(code: number | null, signal: NodeJS.Signals | null, output: string): string {
  if (signal) return `The host agent was stopped by ${signal}.`
  if (code === 0) return 'The host agent exited.'
  const lines = output.trim().split('\n')
  const lastLines = lines.find((line) => /^\w*error\b/i.test(line)) ?? lines.at(-1)
  return lastLines
    ? `The host agent exited: ${lastLines.replace(/\.$/, '')}.`
    : `The host agent exited with code ${code}.`
}
