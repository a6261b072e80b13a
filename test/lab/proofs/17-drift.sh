# What was changed by hand is shown, and mended.
. "$(dirname "$0")/../lib.sh"

account drift
is 'nothing differs' '' "$(panel host diff)"
sed -i 's/index index.html/index evil.html/' /etc/panel/nginx/sites/drift.example.conf
is 'a hand-changed virtual host is shown' 1 "$(panel host diff --account drift | grep -c '^-  index evil.html')"
quietly panel host apply --account drift
is 'and mended' '' "$(panel host diff)"
