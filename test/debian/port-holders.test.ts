import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { endHolders } from '../../src/host/debian/apps/port-holders.ts'
import type { Run } from '../../src/host/debian/commands.ts'

/** Without systemd. */
const runLocally: Run = async (_, words) => {
  const [program, ...args] = words.slice(words.indexOf('--') + 1)
  return (await promisify(execFile)(program!, args)).stdout
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A process of a user that has the port, with or without listening. */
async function holder(uid: number, port: number, listens: boolean) {
  const script = `import socket, time
one = socket.socket(); one.bind(('0.0.0.0', ${port}))
${listens ? 'one.listen()' : ''}
print('has it', flush=True); time.sleep(60)`
  const child = spawn('/usr/bin/python3', ['-c', script], { uid, gid: uid, cwd: '/' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

test.skipIf(process.getuid?.() !== 0).each([true, false])(
  "a program that has the port of another account's app is ended, whether it listens: %s",
  async (listens) => {
    const port = await freePort()
    const child = await holder(59_901, port, listens)
    await endHolders(runLocally, port, 59_901)
    expect([child.exitCode, child.signalCode]).toEqual([null, null])
    const ended = once(child, 'exit')
    await endHolders(runLocally, port, 59_902)
    expect(await ended).toEqual([null, 'SIGKILL'])
  },
)

test('does not look for processes while the port is free', async () => {
  const ran: string[] = []
  await endHolders(
    async (program) => {
      ran.push(program)
      return ''
    },
    await freePort(),
    59_902,
  )
  expect(ran).toEqual([])
})
