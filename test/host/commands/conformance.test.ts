import { describe, expect, test } from 'vitest'
import { HostAgent } from '../../../src/host/agent/service/agent.ts'
import { agentCommands, commandNames, driverCommands, partCommands } from '../../../src/host/contract/commands/index.ts'
import type { HostDriver } from '../../../src/host/contract/driver.ts'
import { createDebianDriver } from '../../../src/host/debian/driver.ts'
import { directoryMachine } from '../../../src/host/driver/directory-machine.ts'
import { createDirectoryDriver } from '../../../src/host/driver/file-driver.ts'
import { isAnswer, isOutcome } from '../../../src/host/nodes/panel/answers.ts'
import { account, server, tempDir } from '../helpers.ts'
import { type Case, cases } from './cases.ts'

const ids = { uid: process.getuid!(), gid: process.getgid!() }

/** The driver of a machine whose programs answer nothing. */
const debian = (root: string): HostDriver => {
  const services = { ...directoryMachine({ root, trustTenants: false }), kind: 'debian', owners: () => ids } as const
  return createDebianDriver(services, root, async () => '')
}

const drivers: readonly [name: string, make: (root: string) => HostDriver][] = [
  ['file driver', (root) => createDirectoryDriver({ root })],
  ['Debian driver', debian],
]

test('every declared command has cases', () => {
  expect(Object.keys(cases).sort()).toEqual([...commandNames].sort())
})

describe.each(drivers)('%s', (_, make) => {
  test('has a function for each of its commands', () => {
    const driver = make(tempDir())
    const missing = Object.keys(driverCommands).filter((name) => !isFunction(driver, name))
    const ofParts = Object.entries(partCommands).flatMap(([part, table]) =>
      Object.keys(table).filter((name) => !isFunction(driver[part as keyof typeof partCommands], name)),
    )
    expect([missing, ofParts]).toEqual([[], []])
  })

  test.each(commandNames)(
    'answers %s as it is declared, or refuses it with a sentence',
    async (command) => {
      const root = tempDir()
      const driver = make(root)
      const agent = await HostAgent.start({ driver, root, build: 'test' })
      if (!(command in agentCommands)) await driver.apply({ server, accounts: [account()] })
      for (const { input } of cases[command]!.filter(isOfThisMachine)) {
        const frame = { type: 'command', id: 1, node: 'local', command, input }
        const outcome = JSON.parse(JSON.stringify(await agent.execute(frame, doing())))
        expect(isOutcome(outcome), JSON.stringify(outcome)).toBe(true)
        if (outcome.status === 'done') expect(isAnswer({ command, input }, outcome.result), command).toBe(true)
        // Without a stage it would be an error of the program.
        else if (outcome.status !== 'unsupported') expect(outcome, command).toMatchObject({ stage: expect.any(String) })
      }
      agent.close()
    },
    30_000,
  )
})

const isFunction = (target: object, name: string): boolean => typeof Reflect.get(target, name) === 'function'

/** Tests reach no other machine. */
const isOfThisMachine = ({ input }: Case): boolean => !JSON.stringify(input).includes('"repository"')

/** Does not wait for what only a later change would answer. */
const doing = () => ({ signal: AbortSignal.timeout(2_000), progress: () => {} })
