import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leaving } from '../../src/host/contract/driver.ts'
import type { Run } from '../../src/host/debian/commands.ts'
import { CronRuns } from '../../src/host/debian/cron/runs.ts'
import { account, idOf, nameOf, tempDir } from '../host/helpers.ts'
import { has } from '../setup/context.ts'

const folder = 'var/lib/panel-host/cron'
const command = { account: nameOf(account()), run: idOf(1), command: 'mysql -psecret', timeoutS: 60 }
const text = 'Finished with result: success\nMain processes terminated with: code=exited/status=0\n'

/** A machine whose systemd keeps runs as long as a test wants. */
function machine() {
  const root = tempDir()
  const started: string[] = []
  const killed: string[] = []
  const state = { keeps: true, units: '' }
  const run: Run = async (program, words) => {
    if (program.endsWith('systemd-run')) started.push(words.join(' '))
    if (words[0] === 'kill') killed.push(words.at(-1)!)
    if (words[0] === 'list-units') return state.units
    return words[0] === 'is-active' && !state.keeps ? 'inactive\n' : 'active\n'
  }
  const ended = (output = 'done\n') => {
    has(root, `${folder}/${command.run}.said`, text)
    has(root, `${folder}/${command.run}.out`, output)
  }
  return { root, started, killed, state, ended, agent: () => new CronRuns(run, root) }
}

const received = { exitCode: 0, timedOut: false, output: 'done\n', truncated: false }

test('a run starts once, only root can read its files, and the next agent reports its end, repeatedly', async () => {
  const { root, started, ended, agent } = machine()
  await agent().begin(command)
  await expect(agent().begin(command)).rejects.toThrow('This run was begun before.')
  expect([started.length, started[0]!.includes('secret')]).toEqual([1, false])
  for (const name of readdirSync(join(root, folder)))
    expect([name, (statSync(join(root, folder, name)).mode & 0o777).toString(8)]).toEqual([name, '600'])
  expect(readFileSync(join(root, folder, `${command.run}.in`), 'utf8')).toBe('mysql -psecret\n')
  ended()
  expect(await agent().end(command)).toEqual(received)
  expect(await agent().end(command)).toEqual(received)
  await expect(agent().begin(command)).rejects.toThrow('This run was begun before.')
})

test('the end of a run that took hours is reported again if the answer was lost', async () => {
  const { root, ended, agent } = machine()
  await agent().begin(command)
  const begun = new Date(Date.now() - 2 * 3_600_000)
  utimesSync(join(root, folder, `${command.run}.json`), begun, begun)
  ended()
  expect(await agent().end(command)).toEqual(received)
  await agent().begin({ ...command, run: idOf(3) })
  expect(await agent().end(command)).toEqual(received)
})

test('nothing is reported for unknown runs, those of another account, or after a reboot', async () => {
  const { root, state, agent } = machine()
  expect(await agent().end(command)).toBeUndefined()
  await agent().begin(command)
  expect(await agent().end({ ...command, account: nameOf(account({ id: idOf(2) })) })).toBeUndefined()
  state.keeps = false
  expect(await agent().end(command)).toBeUndefined()
  expect(readdirSync(join(root, folder))).toEqual([])
})

test('disconnecting stops nothing; a cancellation does, and waits for the end', async () => {
  const { killed, ended, agent, root } = machine()
  await agent().begin(command)
  const gone = new AbortController()
  const left = agent().end(command, gone.signal)
  gone.abort(leaving)
  await expect(left).rejects.toBe(leaving)
  expect([killed, existsSync(join(root, folder, `${command.run}.json`))]).toEqual([[], true])
  const stop = new AbortController()
  const stopped = agent().end(command, stop.signal)
  stop.abort(new Error('cancelled'))
  ended()
  await expect(stopped).rejects.toThrow('cancelled')
  expect([killed, readdirSync(join(root, folder))]).toEqual([[`panel-cron-bob-${command.run}.service`], []])
})

test('units of unknown runs are strays', async () => {
  const { state, agent } = machine()
  await agent().begin(command)
  const stray = `panel-cron-bob-${idOf(9)}.service`
  state.units = `  panel-cron-bob-${command.run}.service loaded active running x\n  ${stray} loaded active running x\n`
  expect(await agent().strays()).toEqual([stray])
})

test("the records of an account's runs are removed with it, those of others stay", async () => {
  const { root, ended, agent } = machine()
  await agent().begin(command)
  ended()
  await agent().end(command)
  await agent().begin({ ...command, run: idOf(3) })
  const other = { ...command, account: nameOf(account({ id: idOf(2) })), run: idOf(4) }
  await agent().begin(other)
  agent().forget(command.account.id)
  expect(readdirSync(join(root, folder)).toSorted()).toEqual([`${idOf(4)}.in`, `${idOf(4)}.json`])
})
