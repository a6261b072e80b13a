import type { Accent } from '../../contract/brand.ts'

/** Brand colours, by their names in the contract. */
const accents: Readonly<Record<Accent, readonly [light: string, dark: string]>> = {
  blue: ['#2449c8', '#93b1ff'],
  indigo: ['#4338ca', '#a5b4fc'],
  violet: ['#6d28d9', '#c4b5fd'],
  magenta: ['#a21caf', '#f0abfc'],
  crimson: ['#b01245', '#fda4b8'],
  rust: ['#9a3412', '#fdba8c'],
  olive: ['#4d6108', '#bfd06a'],
  teal: ['#0f6b66', '#5fd4c9'],
}

const accent = ([name, [light, dark]]: readonly [string, readonly [string, string]]): string =>
  `[data-accent=${name}] { --accent: light-dark(${light}, ${dark}); --accent-bg: color-mix(in srgb, var(--accent) 8%, var(--card)) }`

/** Colours, type and space: every other rule uses these. */
export const tokens = `
:root { color-scheme: light dark;
  --paper: light-dark(#faf9f7, #151412); --card: light-dark(#fff, #1c1b18); --sunk: light-dark(#f2f0ec, #100f0e);
  --ink: light-dark(#1b1a17, #eeece7); --soft: light-dark(#5f5b53, #aba79e);
  --line: light-dark(#e6e3dd, #2f2d29); --rule: light-dark(#d0cbc2, #4a4740); --edge: light-dark(#88847c, #7b776e);
  --accent: light-dark(#2449c8, #93b1ff); --accent-bg: light-dark(#e9edfb, #1c2440);
  --good: light-dark(#17703f, #77d29d); --good-bg: light-dark(#e4f2e8, #15291d);
  --warn: light-dark(#845400, #e6b94f); --warn-bg: light-dark(#fbefd2, #2c2411); --warn-fill: light-dark(#b5770d, #d9a93c);
  --bad: light-dark(#b3241a, #ff978a); --bad-bg: light-dark(#fce9e5, #351a16);
  --term: light-dark(#1f1e1b, #0b0a09); --term-ink: #efece6; --term-soft: #aaa59b; --term-line: #3a3732; --term-go: #8fdcae;
  --sans: system-ui, sans-serif; --mono: ui-monospace, "SF Mono", "Cascadia Mono", Consolas, "DejaVu Sans Mono", monospace;
  --s1: .25rem; --s2: .5rem; --s3: .75rem; --s4: 1rem; --s5: 1.5rem; --s6: 2rem; --r: 6px; --tap: 2rem;
  --xs: .75rem; --sm: .8125rem; --md: .875rem; --lg: 1.125rem; --xl: 1.375rem }
${Object.entries(accents).map(accent).join('\n')}
[data-theme=light] { color-scheme: light }
[data-theme=dark] { color-scheme: dark }
@media (prefers-contrast: more) { :root { --soft: light-dark(#3a372f, #d8d4cb); --line: light-dark(#8a867e, #8a867e); --edge: light-dark(#5f5b53, #b9b4a9) } }
@media (pointer: coarse) { :root { --tap: 2.75rem } }
`
