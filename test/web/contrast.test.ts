import { expect, test } from 'vitest'
import { tokens } from '../../src/web/style/tokens.ts'

type Theme = 'light' | 'dark'

const pairs = new Map(
  [...tokens.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g)].map(([, name, light, dark]) => [
    name!,
    { light: light!, dark: dark! },
  ]),
)
const single = new Map(
  [...tokens.matchAll(/--([\w-]+): (#\w+)/g)].map(([, name, one]) => [name!, { light: one!, dark: one! }]),
)

const colour = (name: string, theme: Theme): string => (pairs.get(name) ?? single.get(name))![theme]

function brightness(hex: string): number {
  const digits = hex.slice(1)
  const full = digits.length === 3 ? [...digits].map((one) => one + one).join('') : digits
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(full.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dark, light] = [brightness(one), brightness(other)].sort((a, b) => a - b) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

const grounds = ['paper', 'card', 'sunk'] as const
const texts = ['ink', 'soft', 'accent', 'good', 'warn', 'bad'] as const

test.each(['light', 'dark'] as const)(
  'every text contrasts with its background, every border with its page: %s',
  (theme) => {
    const on = (text: string, context: string): number => contrast(colour(text, theme), colour(context, theme))
    for (const text of texts)
      for (const context of grounds) expect([text, context, on(text, context) >= 4.5]).toEqual([text, context, true])
    for (const tone of ['good', 'warn', 'bad', 'accent'])
      expect([tone, on(tone, `${tone}-bg`) >= 4.5]).toEqual([tone, true])
    for (const edge of ['edge', 'warn-fill'])
      for (const context of grounds) expect([edge, context, on(edge, context) >= 3]).toEqual([edge, context, true])
    for (const text of ['term-ink', 'term-soft', 'term-go'])
      expect([text, on(text, 'term') >= 4.5]).toEqual([text, true])
    expect(on('paper', 'ink')).toBeGreaterThanOrEqual(4.5)
  },
)
