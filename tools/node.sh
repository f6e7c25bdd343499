# Sourced with the node_modules directory of an installed package.json: sets node to the Node pinned there, or, on a platform
# for which none is published, to the one on PATH, which must be 22 or newer.
node=$(find "$1" -maxdepth 3 -path '*/node-*/bin/node' | head -n 1)
node=${node:-$(command -v node || true)}
if [ -z "$node" ] || [ "$("$node" -p 'Number(process.versions.node.split(".")[0]) >= 22')" != true ]; then
  echo "Node 22 or newer is needed, and ${node:-no node} is what there is" >&2
  exit 1
fi
