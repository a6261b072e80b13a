import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { wafInclude, wafLog, wafOwnRules, wafRules } from '../../src/host/debian/waf/places.ts'
import { factsOf } from '../../src/host/setup/facts.ts'
import { SetupRecord } from '../../src/host/setup/record.ts'
import { removeWaf, waf } from '../../src/host/setup/steps/waf.ts'
import { tempDir } from '../host/helpers.ts'
import { facts } from './context.ts'

test('it is set up where it is asked for, now or before', async () => {
  const root = tempDir()
  mkdirSync(join(root, 'etc/default'), { recursive: true })
  writeFileSync(join(root, 'etc/default/panel'), 'PANEL_HOSTNAME=host.example\n')
  const context = { root, run: async () => '', record: new SetupRecord(root), own: () => {}, say: () => {} }
  const wants = async (wish?: boolean) => waf.when!(await factsOf(context, wish === undefined ? {} : { waf: wish }))
  expect([await wants(), await wants(true)]).toEqual([false, true])
  context.record.note({ waf: true })
  expect([await wants(), await wants(false), new SetupRecord(root).waf]).toEqual([true, false, true])
  context.record.note({ waf: false })
  expect(await wants()).toBe(false)
})

test('its rules judge requests alone, and take no rule that only counts for a site', () => {
  const files = waf.files!({ ...facts, waf: true })
  const rules = files.find(({ path }) => path === wafRules)!.content as string
  expect(rules).toContain('SecResponseBodyAccess Off')
  expect(rules).toContain('SecRequestBodyLimit 8192\n')
  expect(rules).not.toContain('RESPONSE-')
  expect(rules.trimEnd().endsWith(`Include ${wafOwnRules}`)).toBe(true)
  expect(files.find(({ path }) => path === wafOwnRules)!.seed).toBe(true)
})

test('without it nginx forgets the rules, and what the administrator wrote stays', () => {
  const root = tempDir()
  for (const path of [wafInclude, wafRules, wafOwnRules, wafLog]) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), 'x')
  }
  expect([removeWaf({ root }), removeWaf({ root })]).toEqual([true, false])
  expect([wafInclude, wafRules, wafLog, wafOwnRules].map((path) => existsSync(root + path))).toEqual([
    ...[false, false, false, true],
  ])
})
