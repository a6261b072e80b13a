import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What another theme can change. */
const ofColour = ['color-contrast', 'link-in-text-block']

/** What another width can change: visibility, position and size. */
const ofWidth = [
  ...ofColour,
  'target-size',
  'scrollable-region-focusable',
  'region',
  'landmark-unique',
  'skip-link',
  'heading-order',
  'link-name',
  'button-name',
  'label',
  'aria-hidden-focus',
  'nested-interactive',
  'empty-table-header',
]

type Rules = 'all' | 'width' | 'colour'
const only: Readonly<Record<Rules, object>> = {
  all: {},
  width: { runOnly: ofWidth },
  colour: { runOnly: ofColour },
}

interface Look {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
  readonly rules: Rules
}

/** Every look, each with its difference from the previous one. */
const looks: readonly Look[] = [
  { width: 1280, colorScheme: 'light', rules: 'all' },
  { width: 1280, colorScheme: 'dark', rules: 'colour' },
  { width: 390, colorScheme: 'dark', rules: 'width' },
  { width: 390, colorScheme: 'light', rules: 'colour' },
  { width: 320, colorScheme: 'light', rules: 'width' },
  { width: 320, colorScheme: 'dark', rules: 'colour' },
]

/** axe's findings for a page in light and dark, and at each width, with their position; and overflows. */
export async function problemsInLooks(page: Page): Promise<string[]> {
  const found: string[] = []
  let before = 0
  for (const { width, colorScheme, rules } of looks) {
    await page.emulateMedia({ colorScheme })
    if (width !== before) await page.setViewportSize({ width, height: 800 })
    before = width
    found.push(...(await onFailPoint(page, rules)).map((error) => `${width} ${colorScheme}: ${error}`))
  }
  return found
}

/** Its findings for a page as it is. */
export async function onFailPoint(page: Page, rules: Rules = 'all'): Promise<string[]> {
  if (!(await page.evaluate('Boolean(window.axe)'))) await page.evaluate(`(() => { ${axe} })()`)
  const options = { resultTypes: ['violations'], preload: false, iframes: false, ...only[rules] }
  const { violations, wider } = (await page.evaluate(`(async () => {
    const { scrollWidth, clientWidth } = document.documentElement
    const sticksOut = (one) => one.getBoundingClientRect().right > clientWidth
    const wider = scrollWidth <= clientWidth ? [] :
      [...document.body.querySelectorAll('*')].filter(sticksOut).map((one) => one.outerHTML.slice(0, 80)).slice(0, 3)
    const { violations } = await axe.run(document, ${JSON.stringify(options)})
    return { violations, wider }
  })()`)) as AxeRow
  const received = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  )
  return [...wider.map((markup) => `too wide: ${markup}`), ...received]
}

interface AxeRow {
  readonly violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[]
  readonly wider: string[]
}
