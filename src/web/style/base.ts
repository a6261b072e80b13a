/** The default look of elements. */
export const base = `
*, ::before, ::after { box-sizing: border-box }
#json { scroll-margin-block-start: 7rem } html { scroll-padding-block: 4.5rem 4rem; text-size-adjust: 100% }
body { margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink); font: 400 var(--md)/1.5 var(--sans); overflow-wrap: break-word }
h1, h2, h3, p, ul, dl, dd, table, fieldset { margin: 0; padding: 0 }
h1, h2, h3 { font-weight: 600; line-height: 1.25 } h1 { font-size: var(--xl) } h2 { font-size: var(--md) } h3 { font-size: var(--sm) }
small { font-size: inherit; color: var(--soft) } ul { padding-inline-start: 1.25rem }
a { color: inherit; text-decoration-color: var(--rule); text-underline-offset: .2em } a:hover { text-decoration-color: currentcolor } p a, .faults a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.m, code, pre { font-family: var(--mono); font-size: .93em; font-variant-ligatures: none }
.m, code, dd, .notice, .faults { overflow-wrap: anywhere }
.soft, .lead { color: var(--soft) }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
[hidden] { display: none !important }
.icon { flex: none; vertical-align: -.2em }
button, .button, input, select, textarea { font: inherit; color: inherit; border-radius: var(--r); min-height: var(--tap) }
button, .button, summary.button { display: inline-flex; align-items: center; gap: var(--s2); padding: var(--s1) var(--s3); border: 1px solid var(--rule); background: var(--card); font-weight: 500; text-decoration: none; cursor: pointer; white-space: nowrap }
button:hover, .button:hover { border-color: var(--edge) }
.main { background: var(--ink); border-color: var(--ink); color: var(--paper) } .danger { color: var(--bad) }
button[disabled], button[aria-disabled=true] { opacity: .55; cursor: default }
input, select, textarea { width: 100%; padding: var(--s1) var(--s3); border: 1px solid var(--edge); background: var(--card) }
textarea { resize: vertical } [aria-invalid=true] { border-color: var(--bad) }
input[type=checkbox], input[type=radio] { width: 1.125rem; height: 1.125rem; min-height: 0; margin: 0; accent-color: var(--ink); flex: none }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums } th, td { text-align: start; padding: .4rem var(--s3); vertical-align: top }
pre { margin: 0; white-space: pre-wrap }
`
