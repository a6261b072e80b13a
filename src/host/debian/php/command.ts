import { commandFolder } from '../../parts/php/index.ts'

/** Has one program, `php`. */
export const phpFolder = '/usr/local/lib/panel-php'

/** Where the programs of accounts are looked for. */
export const accountPath = `${phpFolder}:/usr/local/bin:/usr/bin:/bin`

/** Runs the version of the account's main domain; other users get Debian's. */
export const phpCommand = `#!/bin/sh
# Written by \`panel host setup\`.
v=
{ read -r v < "/${commandFolder}/$(id -un)"; } 2> /dev/null
exec "/usr/bin/php$v" "$@"
`

/** Login shells set a path of their own. */
export const profile = `# Written by \`panel host setup\`: the version of PHP of hosted accounts.
if [ -e "/${commandFolder}/$(id -un)" ]; then PATH="${phpFolder}:$PATH"; fi
`
