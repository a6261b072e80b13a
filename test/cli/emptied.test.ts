import { describe, expect, test } from 'vitest'
import { commandTable } from '../../src/generate/table.ts'
import { sayPanel } from '../../src/shared/command-line.ts'
import { inProcess } from './run.ts'

const id = '01K9ZQ5T3M8V4X7C2B6N1D0001'
const env = { PANEL_URL: 'http://127.0.0.1:9', PANEL_TOKEN: 'none', PANEL_NO_INPUT: '1', PANEL_OUTPUT: 'json' }

async function sentBy(line: string): Promise<unknown> {
  const { stdout, stderr } = await inProcess([...line.split(' '), '--dry-run'], env)
  expect(stderr).toBe('')
  return JSON.parse(stdout).body
}

describe('word none', () => {
  test.each([
    [`nodes update ${id} --labels none --addresses none`, { labels: [], addresses: [] }],
    [`packages update ${id} --node-labels none`, { node_labels: null }],
    [`resellers update ${id} --nameservers none`, { nameservers: [] }],
    ['settings update --control-addresses none --git-networks none', { control_addresses: [], git_networks: [] }],
    ['settings update --ban-allow none', { ban_allow: [] }],
  ])('empties a list that may be empty: %s', async (line, body) => expect(await sentBy(line)).toEqual(body))

  test.each([
    [`apps set-env ${id} -a ${id} --remove none`, { remove: ['none'] }],
    [`backups restore ${id} -a ${id} --paths none --yes`, { paths: ['none'] }],
  ])('treats none as a name elsewhere: %s', async (line, body) => expect(await sentBy(line)).toMatchObject(body))

  test.each([
    ['updateNode', { labels: [] }, `panel nodes update ${id} --labels none`],
    ['updateNode', { labels: ['none'] }, `panel nodes update ${id} --data @changes.json`],
    ['updatePackage', { node_labels: null }, `panel packages update ${id} --node-labels none`],
    ['updateSettings', { git_networks: [] }, 'panel settings update --git-networks none'],
  ])('shows an empty list as none on screens: %s %j', (operation, body, line) =>
    expect(sayPanel(commandTable(), { operation, params: { id }, body })?.line).toBe(line),
  )
})
