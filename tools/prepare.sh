# Sourced by bin/* and .ci/run: makes the tree ready to run. Cheap when nothing changed.
# Expects ROOT, the repository's folder. Everything it says goes to standard error.

require_node() {
  local major
  major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null) || {
    echo "Node.js 20 or newer is needed, and no node was found in PATH" >&2
    exit 1
  }
  if [ "$major" -lt 20 ]; then
    echo "Node.js 20 or newer is needed; this is $(node --version)" >&2
    exit 1
  fi
}

# Installs the packages of package-lock.json unless exactly these are installed.
install_packages() {
  local mark="$ROOT/node_modules/.installed-lock"
  cmp -s "$ROOT/package-lock.json" "$mark" && return
  echo "installing packages ..." >&2
  (cd "$ROOT" && npm ci --no-audit --no-fund) >&2
  cp "$ROOT/package-lock.json" "$mark"
}

build() {
  node "$ROOT/tools/build.mjs"
}

prepare() {
  require_node
  install_packages
  build
}

# Installs a Debian package that brings COMMAND, if it is missing. Returns non-zero, loudly, when it cannot.
want_debian() { # COMMAND PACKAGE WHY
  command -v "$1" >/dev/null 2>&1 && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing $2 ($3) ..." >&2
    if { apt-get install -y --no-install-recommends "$2" || { apt-get update && apt-get install -y --no-install-recommends "$2"; }; } >/dev/null 2>&1; then
      return
    fi
  fi
  echo "!!! $2 is not installed and could not be: $3. Install it by hand: apt-get install $2" >&2
  return 1
}
