import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { bin, environment } from '../cli/run.ts'

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

/** The agent of a node, stopped after the test. */
export function startNode(root: string): ChildProcess {
  const words = [bin, 'host', 'agent', '--node', '--root', root]
  const child = spawn(process.execPath, words, { env: environment(), stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}
