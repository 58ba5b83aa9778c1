# Without apt-get, or the right to use it, commands run in the next weaker sandbox, and each verdict records that.
sudo=
[ "$(id -u)" = 0 ] || sudo='sudo -n'
if ! { command -v bwrap && command -v strace; } >/dev/null; then
  { $sudo apt-get update -q && $sudo apt-get install -q -y bubblewrap strace; } >/dev/null || echo "bubblewrap cannot be installed"
fi
# Ubuntu does not let programs create the namespaces that a sandbox needs.
if sysctl -n kernel.apparmor_restrict_unprivileged_userns >/dev/null 2>&1; then
  $sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 || echo "this machine does not allow namespaces"
fi
