import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../src/host/debian/commands.ts'
import { IdleMasters } from '../../src/host/debian/php/idle.ts'
import { tempDir } from '../host/helpers.ts'

const name = 'panel-php-8.4-e3b0c44298fc-bob'
const conf = 'etc/panel/php/8.4-e3b0c44298fc-bob.conf'

function machine(minutes = 10) {
  const root = tempDir()
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  let now = 0
  const state = { requests: 1, processes: 1, active: true, listens: true, former: false, stuck: '' }
  const stopped: string[] = []
  /** Units that count as failed: a stop ended the command of a reload. */
  const failed = new Set<string>()
  const group = '/panel.slice/panel-bob.slice/it'
  const blockOf = (id: string, active: boolean, requests: number) =>
    `Id=${id}\nActiveState=${active ? 'active' : 'inactive'}\nStatusText=Processes active: 0, idle: 0, Requests: ${requests}, slow: 0\nControlGroup=${group}\n`
  const run: Run = async (_program, [verb, ...words]) => {
    if (verb === 'stop') {
      if (words.includes(state.stuck)) throw new Error('Job timed out.')
      stopped.push(words.join())
      for (const unit of words) if (unit.endsWith('.service')) failed.add(unit)
      if (words.includes(`${name}.service`)) state.active = false
      if (words.includes(`${name}.socket`)) state.listens = false
      return ''
    }
    if (verb === 'reset-failed') {
      for (const unit of words) failed.delete(unit)
      return ''
    }
    if (words.includes('panel-php-*.socket')) return blockOf(`${name}.socket`, state.listens, 0)
    return [
      blockOf(`${name}.service`, state.active, state.requests),
      ...(state.former ? [blockOf('panel-php@bob.service', true, 5)] : []),
    ].join('\n')
  }
  put(conf, `; panel ends it after ${minutes} idle minutes\n[global]\n`)
  const masters = new IdleMasters(run, { now: () => now, root })
  return {
    state,
    stopped,
    failed,
    forget: (path: string) => rmSync(join(root, path)),
    put,
    /** Lets minutes pass, with a look at each. */
    async pass(minutes: number) {
      for (let at = 0; at < minutes; at++) {
        put(
          `sys/fs/cgroup${group}/cgroup.procs`,
          Array.from({ length: state.processes }, (_, n) => `${n + 2}\n`).join(''),
        )
        await masters.sweep()
        now += 60_000
      }
    },
  }
}

test('a master without requests for so long is ended, and its socket listens on', async () => {
  const { pass, stopped } = machine()
  await pass(10)
  expect(stopped).toEqual([])
  await pass(1)
  expect(stopped).toEqual([`${name}.service`])
  await pass(5)
  expect(stopped).toEqual([`${name}.service`])
})

test('a request, and a process that still runs, keep it', async () => {
  const { pass, state, stopped } = machine(2)
  await pass(2)
  state.requests = 2
  await pass(2)
  state.processes = 2
  await pass(20)
  expect(stopped).toEqual([])
  state.processes = 1
  await pass(3)
  expect(stopped).toEqual([`${name}.service`])
})

test('a master whose reload the stop has cut off does not stay failed', async () => {
  const { pass, failed, stopped } = machine(2)
  await pass(3)
  expect([stopped, [...failed]]).toEqual([[`${name}.service`], []])
  const gone = machine(2)
  gone.forget(conf)
  await gone.pass(3)
  expect([gone.stopped, [...gone.failed]]).toEqual([[`${name}.socket`, `${name}.service`], []])
})

test('0 minutes: never', async () => {
  const { pass, stopped } = machine(0)
  await pass(2000)
  expect(stopped).toEqual([])
})

test('what no configuration mentions goes once it has been idle for a minute, its socket first', async () => {
  const { pass, state, stopped, forget } = machine()
  await pass(1)
  forget(conf)
  state.processes = 2
  await pass(3)
  expect(stopped).toEqual([])
  state.processes = 1
  await pass(2)
  expect(stopped).toEqual([`${name}.socket`, `${name}.service`])
})

test('so does a socket whose master sleeps', async () => {
  const { pass, state, stopped, forget } = machine()
  state.active = false
  forget(conf)
  await pass(1)
  expect(stopped).toEqual([])
  await pass(1)
  expect(stopped).toEqual([`${name}.socket`])
})

test('a master from before is left while its configuration is there', async () => {
  const { pass, state, stopped, forget, put } = machine(0)
  state.former = true
  put('etc/panel/php/bob.conf', '[global]\n')
  await pass(20)
  expect(stopped).toEqual([])
  forget('etc/panel/php/bob.conf')
  await pass(2)
  expect(stopped).toEqual(['panel-php@bob.service'])
})

test('one that does not stop does not keep the others', async () => {
  const { pass, state, stopped } = machine(1)
  state.former = true
  state.stuck = `${name}.service`
  await pass(3)
  expect(stopped).toEqual(['panel-php@bob.service'])
})
