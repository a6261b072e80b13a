import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startPanel } from '../harness.ts'
import { enrolled } from '../nodes/second.ts'

const text = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), 'utf8')
const namesIn = (source: string): Set<string> =>
  new Set(
    (source.match(/\b(panel|process)_[a-z0-9]+(_[a-z0-9]+)*\b/g) ?? []).map((name) => name.replace(/_bucket$/, '')),
  )

/** Known once the listeners exist. */
const ofListeners = ['panel_connections', 'panel_connections_dropped_total']

describe('documentation of metrics', () => {
  test('covers existing metrics, and all of them', async () => {
    const panel = await startPanel()
    await enrolled(panel, { name: 'web2', certificate_expires_at: panel.clock.now() })
    const { body } = await panel.send('GET', 'https://host.example:7711/metrics')
    const announced = new Set([
      ...ofListeners,
      ...[...body.matchAll(/^# TYPE (\w+)/gm)].map(([, name]: string[]) => name!),
    ])
    for (const name of ['observability.md', 'monitoring/alerts.yml', 'monitoring/dashboard.json'])
      for (const metric of namesIn(text(name))) expect(announced, `${metric} in ${name}`).toContain(metric)
    expect([...announced].filter((metric) => !namesIn(text('observability.md')).has(metric))).toEqual([])
  })
  test('uses the syntax of its readers', () => {
    const { groups } = parse(text('monitoring/alerts.yml'))
    for (const { alert, expr, annotations } of groups[0].rules)
      expect([typeof alert, typeof expr, typeof annotations.summary, typeof annotations.description]).toEqual(
        Array(4).fill('string'),
      )
    const { panels } = JSON.parse(text('monitoring/dashboard.json'))
    expect(panels.every((panel: { targets: unknown[] }) => panel.targets.length > 0)).toBe(true)
  })
})
