import { expect, test } from 'vitest'
import { applyStep } from '../../src/host/setup/apply-step.ts'
import { has } from '../../src/host/setup/facts.ts'
import { allSteps } from '../../src/host/setup/steps/all.ts'
import { agentOfNode, nodeUnit } from '../../src/host/setup/steps/panel.ts'
import { isEnabled } from '../../src/host/setup/units.ts'
import { bench, facts } from './context.ts'

const own = ['agent', 'node', 'server']
const chosen = (isNode: boolean) => allSteps.filter((step) => has(step, { ...facts, isNode })).map(({ name }) => name)

test("a machine that has joined a panel runs a node's agent, and neither its own agent nor a server", () => {
  expect(chosen(false).filter((name) => own.includes(name))).toEqual(['agent', 'server'])
  expect(chosen(true).filter((name) => own.includes(name))).toEqual(['node'])
  expect(chosen(true).filter((name) => !own.includes(name))).toEqual(
    chosen(false).filter((name) => !own.includes(name)),
  )
})

test('it has joined if the unit starts at boot', async () => {
  const states = { enabled: true, disabled: false, '': false }
  for (const [state, joined] of Object.entries(states))
    expect(
      await isEnabled(
        bench(() => `${state}\n`),
        nodeUnit,
      ),
    ).toBe(joined)
})

test('its agent is started if it was stopped', async () => {
  const context = bench((command) => (command.endsWith('panel-node.service') ? 'inactive' : ''))
  expect(await applyStep(context, agentOfNode, { ...facts, isNode: true })).toBe(true)
  expect(context.ran).toContain('/usr/bin/systemctl start panel-node.service')
})
