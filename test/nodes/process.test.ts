import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ensureServerBuilt, panel } from '../cli/run.ts'
import { ask, scratchFolder, startServer } from '../cli/server.ts'
import { lineOf } from './joined.ts'
import { freePort, startNode } from './processes.ts'

/** Polls until something holds. */
async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** A server, and a machine that has joined it. */
async function joinedMachine() {
  ensureServerBuilt()
  const dir = scratchFolder()
  const [dataDir, root] = [join(dir, 'panel'), join(dir, 'node')]
  const nodePort = String(await freePort())
  const serve = () => startServer(dataDir, ['--node-port', nodePort])
  const served = await serve()
  const send = async (method: string, path: string, body?: object) =>
    (await ask(served.socket, method, `/api/v1${path}`, body)).body
  const { join_line, node } = await send('POST', '/nodes', { name: 'web2' })
  const [, , ...words] = join_line.split(' | ')[1].split(' ')
  const joins = (line: string) => panel(['host', ...words, '--root', root], { input: `${lineOf(line).secret}\n` })
  const joined = await joins(join_line)
  expect(joined).toEqual({ code: 0, stdout: 'web2\n', stderr: `next: panel host agent --node --root ${root}\n` })
  const state = async () => (await send('GET', `/nodes/${node.id}`)).state
  const isActive = async () => (await state()) === 'active'
  return { dataDir, root, serve, served, send, joins, join_line, node, state, isActive }
}

test('a machine joins with its command, once, gets an account, and reconnects after being killed', {
  timeout: 60_000,
}, async () => {
  const { dataDir, root, send, joins, join_line, state, isActive } = await joinedMachine()
  const again = await joins(join_line)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('This join line does not work')])

  const agent = startNode(root)
  await until(isActive)
  const { job_id } = await send('POST', '/accounts', { username: 'bob', domain: 'bob.example', node: 'web2' })
  await until(async () => (await send('GET', `/jobs/${job_id}`)).job.status === 'succeeded')
  expect(existsSync(join(root, 'home/bob'))).toBe(true)
  expect(existsSync(join(dataDir, 'host/home/bob'))).toBe(false)
  expect(readFileSync(`/proc/${agent.pid}/cmdline`, 'utf8')).not.toContain(lineOf(join_line).secret)

  agent.kill('SIGKILL')
  await until(async () => (await state()) === 'down')
  const doctor = await panel(['doctor', '--data-dir', dataDir, '--output', 'json'])
  expect(JSON.parse(doctor.stdout)).toContainEqual({
    check: 'nodes',
    status: 'bad',
    message: 'Node web2 is down: the connection was lost.',
    next: 'panel nodes show web2',
  })
  startNode(root)
  await until(isActive)
})

test('a lost machine joins again while its agent runs, and reconnects after the server was killed', {
  timeout: 60_000,
}, async () => {
  const { root, serve, served, send, joins, node, isActive } = await joinedMachine()
  const running = startNode(root)
  await until(isActive)
  await send('POST', `/nodes/${node.id}/revoke`, {})
  const anew = (await send('POST', `/nodes/${node.id}/renew-join`, {})).join_line
  expect(await joins(anew)).toMatchObject({ code: 0, stdout: 'web2\n' })
  await until(isActive)
  expect(running.exitCode).toBeNull()
  await served.stop('SIGKILL')
  await serve()
  await until(isActive)
})

test('nodes and name servers created concurrently are deleted by command, and SIGTERM stops the server', {
  timeout: 60_000,
}, async () => {
  ensureServerBuilt()
  const dataDir = join(scratchFolder(), 'panel')
  const nodePort = String(await freePort())
  const served = await startServer(dataDir, ['--node-port', nodePort])
  const command = async (...words: string[]) => {
    const { code, stderr } = await panel([...words, '--data-dir', dataDir])
    return [code, stderr]
  }
  const made = await Promise.all(
    ['n1', 'n2', 'n3'].map((name) => ask(served.socket, 'POST', '/api/v1/nodes', { name })),
  )
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(await command('nodes', 'delete', 'n1', '--confirm', 'n2')).toEqual([
    1,
    expect.stringContaining("confirm: must be the node's name"),
  ])
  const labels = async (text: string) => {
    const words = ['nodes', 'update', 'n1', '--labels', text, '--columns', 'labels', '--no-headers']
    return (await panel([...words, '--output', 'json', '--data-dir', dataDir])).stdout
  }
  expect(JSON.parse(await labels('ssd,fast'))).toMatchObject({ labels: ['ssd', 'fast'] })
  expect(JSON.parse(await labels('none'))).toMatchObject({ labels: [] })
  expect(await command('nodes', 'update', 'n2', '--state', 'retired', '--lost')).toEqual([
    6,
    expect.stringContaining('--lost --data-dir'),
  ])
  expect(await command('nodes', 'delete', 'n1', '--confirm', 'n1')).toEqual([0, ''])
  expect(await command('nodes', 'delete', 'n3', '--yes')).toEqual([0, ''])
  const line = (await panel(['nodes', 'create', 'n4', '--roles', 'web,db,mail', '--data-dir', dataDir])).stdout
  expect(line).toMatch(/^echo [0-9a-f]{32} \| panel host join \S+ --node [0-9A-Z]{26} --pin [0-9a-f]{64}\n$/)
  const renewed = (await panel(['nodes', 'renew-join', 'n4', '--quiet', '--data-dir', dataDir])).stdout
  expect(renewed).toBe(`${/--node (\S+)/.exec(line)![1]}\n`)
  const full = await panel(['nodes', 'renew-join', 'n4', '--output', 'json', '--data-dir', dataDir])
  expect(JSON.parse(full.stdout)).toMatchObject({ join_line: expect.any(String), node: { name: 'n4' } })
  expect(await command('nodes', 'delete', 'n4', '--yes')).toEqual([0, ''])
  const peer = await panel(['nodes', 'dns-peer', 'create', 'ns3', '--address', '192.0.2.54', '--data-dir', dataDir])
  expect(peer).toMatchObject({ code: 0, stdout: expect.stringMatching(/^key ".*\n$/s) })
  const json = ['nodes', 'dns-peer', 'create', 'ns4', '--address', '192.0.2.55', '--output', 'json']
  expect(JSON.parse((await panel([...json, '--data-dir', dataDir])).stdout)).toMatchObject({
    peer: { name: 'ns4' },
    key: { secret: expect.any(String) },
    configuration: expect.stringContaining('catalog'),
  })
  expect(await command('nodes', 'dns-peer', 'create', 'ns2', '--address', '192.0.2.53')).toEqual([0, expect.anything()])
  expect(await command('nodes', 'dns-peer', 'delete', 'ns2', '--yes')).toEqual([0, expect.anything()])
  const listed = await panel(['nodes', 'list', '--columns', 'name,last_seen', '--no-headers', '--data-dir', dataDir])
  expect(listed.stdout).toMatch(/^local\t\d{4}-\d\d-\d\dT\S+Z\n/)
  const { items } = (await ask(served.socket, 'GET', '/api/v1/nodes')).body
  expect(items.map(({ name }: { name: string }) => name)).toEqual(['local', 'n2'])
  await served.stop('SIGTERM')
})

test('the node commands print their results, and what is wrong with an address', { timeout: 60_000 }, async () => {
  ensureServerBuilt()
  expect((await panel(['nodes', '--help'])).stdout).toContain('Name servers elsewhere that take all zones')
  const [node, pin] = ['0'.repeat(26), 'f'.repeat(64)]
  for (const address of ['h:99999', 'h:0', 'h h'])
    expect(await panel(['host', 'join', address, '--node', node, '--pin', pin], { input: 'x\n' })).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`the address must be host:port, such as panel.example.com:7712, not ${address}`),
    })
  const byName = await panel(['host', 'join', 'h:1', '--node', 'web2', '--pin', pin], { input: 'x\n' })
  expect([byName.code, byName.stderr]).toEqual([2, expect.stringContaining('--node must be the id')])
  const help = await panel(['host', 'agent', '--help'])
  expect([help.code, help.stdout]).toEqual([
    0,
    expect.stringMatching(/^Usage: panel host agent --node \[--root DIR\]\n/),
  ])
})
