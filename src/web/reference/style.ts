/** What the reference adds to the screens' stylesheet. */
export const referenceStyle = `
body.reference { max-width: 78rem; display: grid; grid-template-columns: 11rem minmax(0, 1fr); column-gap: 2.5rem }
.reference header { grid-column: 1 / -1 }
.reference nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; padding: 1.5rem 0; font-size: .925rem }
.reference nav ul { list-style: none; margin: 0; padding: 0 } .reference nav a { display: block; padding: .15rem 0; text-decoration: none }
.reference h2 { text-transform: capitalize; margin-top: 2.5rem } .reference h4 { margin: 1rem 0 .25rem; font-size: .95rem }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .4rem 0 }
summary { padding: .45rem .75rem; cursor: pointer; overflow-wrap: anywhere } summary span { opacity: .8; margin-left: .5rem }
.method { display: inline-block; min-width: 4rem; color: var(--accent) }
.operation { padding: 0 .75rem .9rem; scroll-margin-top: 3.5rem; border-top: 1px solid var(--line) }
.operation dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem 1rem; margin: .75rem 0 } dt { opacity: .8 } dd { margin: 0; overflow-wrap: anywhere }
.reference table { font-size: .925rem } .reference th { width: 30%; overflow-wrap: anywhere } .reference td:nth-child(2) { width: 30% } .reference small { font-weight: 400; opacity: .8 }
.problems { display: flex; flex-wrap: wrap; gap: .15rem 1rem; margin: 0; font-size: .925rem }
@media (max-width: 48rem) {
  body.reference { display: block } .reference nav { position: static; max-height: none } .reference nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem }
  .reference td:nth-child(n+2), .reference th { display: block; width: auto; border: 0; padding: 0 } .reference tr { display: block; padding: .35rem 0; border-bottom: 1px solid var(--line) }
}
`
