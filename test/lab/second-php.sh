# A second version of PHP, sourced: Debian 12's on Debian 13, put in by force, as a stand-in for a source made for it.
# Debian's suites cannot be mixed by apt. It is fetched by the resolver of before: the proofs' knows no mirror.
second_php() {
  local parts=/tmp/second
  mkdir -p $parts/lists/partial $parts/cache/archives/partial
  sed 's/trixie/bookworm/g' /etc/apt/sources.list > $parts/sources.list
  (
    cd $parts
    online() { unshare -m sh -c 'mount --bind /root/online-resolver /etc/resolv.conf && exec "$@"' sh "$@"; }
    set -- -q -o APT::Update::Error-Mode=any -o Dir::Etc::SourceList=$parts/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=$parts/lists -o Dir::Cache=$parts/cache
    online apt-get "$@" update && online apt-get "$@" download php8.2-{cli,fpm,common,opcache,mysql} &&
      dpkg -i --force-breaks --force-depends ./*.deb
  ) > /tmp/second.said 2>&1 || tail -3 /tmp/second.said
  systemctl disable -q --now php8.2-fpm 2> /dev/null
  [ -x /usr/sbin/php-fpm8.2 ]
}
