# Of two tenants neither reads what is the other's.
. "$(dirname "$0")/../lib.sh"

account red
account blue
put red peek.php <<< '<?php echo @file_get_contents("/home/blue/sites/blue.example/public/index.html") === false ? "no" : "yes";'
is 'PHP reads no other home' no "$(page red.example peek.php)"
ln -s /home/blue/sites/blue.example/public/index.html /home/red/sites/red.example/public/link.html
chown -h red:red /home/red/sites/red.example/public/link.html
is "a link to another's file is not served" 404 "$(code red.example link.html)"
