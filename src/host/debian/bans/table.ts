/**
 * The panel's own table. Answers to what this machine itself asked pass: otherwise a hostile node that reports mail
 * servers and name servers would cut all others off from them. What it drops leaves no entry among tracked connections.
 */
export const bansTable = 'panel_bans'
export const bansFile = '/var/lib/panel-host/bans'
export const policyFile = '/var/lib/panel-host/ban-policy.json'
/** Loads the table with what remains of the bans in the file. */
export const bansLoader = '/etc/panel/bans-load'

const setOf = (network: string): string => `inet ${bansTable} ${network.includes(':') ? 'banned6' : 'banned4'}`
const elementOf = (network: string): string => network.replace(/\/64$/, '')

/** An element keeps its former time if it is added again: so it is removed before, which needs it to be there. */
const withoutText = (network: string): string =>
  `add element ${setOf(network)} { ${elementOf(network)} timeout 1s }\ndelete element ${setOf(network)} { ${elementOf(network)} }\n`

/** Commands of nft for some bans: until when, in milliseconds; 0 or a past time lifts one. */
export const changeText = (bans: ReadonlyMap<string, number>, now: number): string =>
  [...bans]
    .map(([network, until]) => {
      const seconds = Math.ceil((until - now) / 1000)
      const added = `add element ${setOf(network)} { ${elementOf(network)} timeout ${seconds}s }\n`
      return `${withoutText(network)}${seconds > 0 ? added : ''}`
    })
    .join('')

/** What the unit of setup runs at boot, before the network is up, and the agent to replace all. */
export const loaderText = `#!/bin/sh
# Written by \`panel host setup\`: drops packets of banned addresses, for as long as is left of each ban.
now=$(date +%s)
{
  cat <<'EOF'
table inet ${bansTable}
delete table inet ${bansTable}
table inet ${bansTable} {
  set banned4 { type ipv4_addr; size 100000; flags timeout; }
  set banned6 { type ipv6_addr; size 100000; flags timeout; }
  chain from_outside {
    type filter hook prerouting priority mangle; policy accept;
    iif "lo" accept
    ct direction reply accept
    ip saddr @banned4 drop
    ip6 saddr & ffff:ffff:ffff:ffff:: @banned6 drop
  }
}
EOF
  [ ! -e ${bansFile} ] || awk -v now="$now" '
    function show(kind) {
      if (list[kind] != "") print "add element inet ${bansTable} banned" kind " { " list[kind] " }"
      list[kind] = ""
    }
    $1 ~ /^[0-9a-f.:]+(\\/64)?$/ && $2 ~ /^[0-9]+$/ && $2 > now {
      kind = $1 ~ /:/ ? 6 : 4
      sub(/\\/64$/, "", $1)
      list[kind] = list[kind] (list[kind] == "" ? "" : ", ") $1 " timeout " ($2 - now) "s"
      if (++count[kind] % 1000 == 0) show(kind)
    }
    END { show(4); show(6) }' ${bansFile}
} | /usr/sbin/nft -f -
`
