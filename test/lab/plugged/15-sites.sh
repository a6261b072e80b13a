# The plug was pulled while an Apache was awake, and another account was suspended.
. "$(dirname "$0")/../lib.sh"

if panel accounts show pluga > /dev/null 2>&1; then
  runs() { systemctl list-units --plain --no-legend --state=active "panel-*-$1.service" | wc -l; }
  listens() { systemctl list-units --plain --no-legend --state=active "panel-*-$1.socket" | wc -l; }
  is 'suspended, nothing of it runs or listens after the boot' '0 0 503' "$(runs plugs) $(listens plugs) $(code plugs.example)"
  is 'nothing of the other runs' 0 "$(runs pluga)"
  is 'until its first request' awake "$(page pluga.example)"
  quietly panel accounts unsuspend plugs
  is 'unsuspended, the first answers again' awake "$(page plugs.example)"
fi
