/** The one stylesheet of the screens. */
export const style = `
:root { color-scheme: light dark; --line: #8886; --edge: #767676; --accent: #0b62d6; --bad: #b3261e; --good: #1b7f3b }
@media (prefers-color-scheme: dark) { :root { --edge: #949494; --accent: #7fb2ff; --bad: #ff8a80; --good: #7fd99a } }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 2rem 1.25rem; max-width: 46rem }
header { display: flex; justify-content: space-between; align-items: center; gap: 1rem; border-bottom: 1px solid var(--line); padding-bottom: .75rem }
h1 { font-size: 1.5rem; margin: 1.5rem 0 .5rem } h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem }
a { color: var(--accent) }
form.stack { display: grid; gap: .9rem; max-width: 22rem; margin-top: 1rem }
label { display: grid; gap: .25rem; font-weight: 600 }
input { font: inherit; padding: .5rem .6rem; border: 1px solid var(--edge); border-radius: .4rem; background: transparent; color: inherit }
button { font: inherit; font-weight: 600; padding: .5rem .9rem; border: 1px solid var(--accent); border-radius: .4rem; background: var(--accent); color: Canvas; cursor: pointer }
button.quiet { background: transparent; color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.error { color: var(--bad); font-weight: 600 } .status-active { color: var(--good) } .status-suspended, .status-terminating { color: var(--bad) }
.banner { border: 2px solid var(--bad); border-radius: .4rem; padding: .6rem .9rem; margin: 1rem 0 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .35rem .5rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top } th { font-weight: 600; width: 40% }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere } ul { padding-left: 1.2rem }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
`
