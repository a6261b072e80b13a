/** The bars, the navigation, and the page between them. */
export const layout = `
.skip { position: absolute; inset-inline-start: var(--s2); inset-block-start: -4rem; z-index: 3; background: var(--card); padding: var(--s2) var(--s4) } .skip:focus { inset-block-start: var(--s2) }
.bar { position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: var(--s4); min-height: 3.25rem; padding-inline: var(--s4); background: var(--paper); border-block-end: 1px solid var(--line) }
.brand { display: flex; align-items: center; gap: var(--s2); inline-size: 12rem; flex: none; font-weight: 600; text-decoration: none; white-space: nowrap; overflow: hidden; text-overflow: ellipsis } .brand img { block-size: 1.5rem }
.crumbs { flex: 1; min-width: 0 } .crumbs ol { display: flex; flex-wrap: wrap; list-style: none; padding: 0; margin: 0 } .crumbs li + li::before { content: "/"; color: var(--soft); padding-inline: var(--s2) } .crumbs a { color: var(--soft); text-decoration: none }
.find { display: flex; gap: var(--s2); align-items: center; inline-size: 18rem; padding: var(--s1) var(--s3); min-height: var(--tap); border: 1px solid var(--edge); border-radius: var(--r); color: var(--soft); background: var(--card); text-decoration: none } .find kbd { margin-inline-start: auto; font: var(--xs) var(--mono) }
.me { position: relative } .me summary { list-style: none; display: grid; place-items: center; inline-size: var(--tap); block-size: var(--tap); border-radius: 99px; border: 1px solid var(--line); background: var(--sunk); font-size: var(--xs); font-weight: 600; cursor: pointer } .me summary::-webkit-details-marker { display: none }
.me > div { position: absolute; inset-inline-end: 0; inset-block-start: calc(100% + var(--s1)); min-inline-size: 13rem; display: grid; gap: var(--s2); padding: var(--s3); background: var(--card); border: 1px solid var(--line); border-radius: 8px; box-shadow: 0 8px 24px #0003 }
.body { display: grid; grid-template-columns: 14rem minmax(0, 1fr); align-items: start }
.nav { position: sticky; top: 3.25rem; max-height: calc(100vh - 6rem); overflow: auto; padding: var(--s4) 0; border-inline-end: 1px solid var(--line); min-height: calc(100vh - 6rem) }
.nav h2 { padding: var(--s3) var(--s4) var(--s1); font-size: var(--xs); font-weight: 500; color: var(--soft) } .nav ul { list-style: none; padding: 0 }
.nav a { display: flex; justify-content: space-between; align-items: center; min-height: var(--tap); padding: var(--s1) var(--s4); border-inline-start: 3px solid transparent; text-decoration: none } .nav a:hover { background: var(--sunk) }
.nav a[aria-current] { background: var(--sunk); border-inline-start-color: var(--accent); font-weight: 600 } .nav small { font-size: var(--xs); font-weight: 400 } .close { display: none !important }
main { inline-size: 100%; max-inline-size: 76rem; padding: var(--s5) var(--s5) 5rem; display: grid; gap: var(--s5); align-content: start } main > * { min-inline-size: 0 }
.plain { margin-inline: auto; max-inline-size: 34rem }
.head { display: flex; flex-wrap: wrap; gap: var(--s3); justify-content: space-between; align-items: start } .head > div:first-child { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s3); align-items: baseline } .head .lead { flex-basis: 100% } .head .count { color: var(--soft) } .actions { display: flex; flex-wrap: wrap; gap: var(--s2) }
.acting { display: flex; flex-wrap: wrap; gap: var(--s3); align-items: center; justify-content: center; padding: var(--s2) var(--s4); background: var(--accent-bg); border-block-end: 1px solid var(--accent) } [data-session] { position: sticky; top: 3.25rem; z-index: 2 } :root:has([data-session]:not([hidden])) { scroll-padding-top: 8rem }
.notice { padding: var(--s3) var(--s4); border: 1px solid var(--line); border-inline-start: 3px solid var(--good); border-radius: var(--r); background: var(--card); display: flex; flex-wrap: wrap; gap: var(--s2) var(--s3); align-items: center } .notice.warn { border-inline-start-color: var(--warn-fill) } .notice.bad { border-inline-start-color: var(--bad) } .notice.turning { border-inline-start-color: var(--accent) }
.say { position: sticky; bottom: 0; z-index: 1; min-height: 2.75rem; display: flex; flex-wrap: wrap; gap: var(--s2) var(--s4); align-items: center; padding: var(--s1) var(--s4); background: var(--term); color: var(--term-ink); font-family: var(--mono); font-size: var(--xs) } .say i { color: var(--term-go); font-style: normal } .say .line { flex: 1; min-width: 0 } .say a { color: var(--term-soft) } .say button { background: transparent; color: inherit; border-color: var(--term-line) }
@media (min-width: 60rem) { .menu { display: none } }
@media (max-width: 60rem) {
  .body { display: block } .brand { inline-size: auto; flex: 0 1 auto } .find { inline-size: auto; border: 0; background: none } .find span, .find kbd { display: none } .crumbs li:not(:last-child) { display: none } .crumbs li { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
  .crumbs li + li::before { content: none }
  .nav { display: none; border: 0 } .nav:target { display: block; position: fixed; inset: 0; z-index: 3; max-height: none; background: var(--paper); padding-block: var(--s4) } .nav:target .close { display: inline-flex !important; margin-inline: var(--s4) }
}
@media (max-width: 40rem) {
  .say { position: static; flex-wrap: nowrap } .say .line { overflow-x: auto; white-space: nowrap } .say > span:not(.tabs, .line), .say button { display: none } body { font-size: .9375rem } input, select, textarea { font-size: 1rem } main { padding: var(--s4) var(--s4) 5rem } .actions, .actions form { inline-size: 100% } .actions > * { flex: 1 } .actions button, .actions .button { justify-content: center; inline-size: 100% }
}
@media print { .bar, .nav, .say, .skip, .actions, form { display: none !important } .body { display: block } body { background: #fff; color: #000 } main a[href^="http"]::after { content: " (" attr(href) ")" } }
@media (forced-colors: active) { .nav a[aria-current] { outline: 2px solid } .main { border-width: 2px } }
`
