// Exact margins of a network, by messages along a tree of cliques.
//
// A node is {labels, parents, values}: its table as a flat array, the parents' labels in order and
// its own last. A clique is [scope, nOwn, factors, parent]: the variables, those that it sums out
// first; how many these are; the tables it multiplies; the clique it sends its message to, or -1.
// Children stand before parents.
//
// A variable that is set, not observed, no longer depends on its parents: its own table is left out
// of the product (the truncated factorisation of an intervention).

function makeNetwork(nodes, cliqueList) {
  const sizes = nodes.map((node) => node.labels.length);
  const cells = (scope) => scope.reduce((product, v) => product * sizes[v], 1);
  const cliques = cliqueList.map(([scope, nOwn, factors, parent]) => ({
    scope,
    parent,
    factors,
    own: scope.slice(0, nOwn),
    separator: scope.slice(nOwn),
    nSeparator: cells(scope.slice(nOwn)),
    prior: product(scope, factors),
    belief: new Float64Array(cells(scope)),
    up: new Float64Array(cells(scope.slice(nOwn))),
    down: new Float64Array(cells(scope.slice(nOwn))),
    toParent: null,
  }));
  // The clique and the place in it where a variable is summed out.
  const home = new Array(nodes.length);
  cliques.forEach((clique, i) => {
    clique.own.forEach((v, place) => (home[v] = [i, place]));
    if (clique.parent >= 0) {
      clique.toParent = positions(cliques[clique.parent].scope, clique.separator);
    }
  });

  // For each cell of a table over `scope`, the cell of a table over `part` of it.
  function positions(scope, part) {
    const strides = new Array(scope.length).fill(0);
    let stride = 1;
    for (let i = part.length - 1; i >= 0; i--) {
      strides[scope.indexOf(part[i])] = stride;
      stride *= sizes[part[i]];
    }
    const found = new Int32Array(cells(scope));
    const state = new Array(scope.length).fill(0);
    let at = 0;
    for (let cell = 0; cell < found.length; cell++) {
      found[cell] = at;
      for (let i = scope.length - 1; i >= 0; i--) {
        at += strides[i];
        if (++state[i] < sizes[scope[i]]) break;
        at -= strides[i] * sizes[scope[i]];
        state[i] = 0;
      }
    }
    return found;
  }

  function product(scope, factors) {
    const table = new Float64Array(cells(scope)).fill(1);
    for (const v of factors) {
      const place = positions(scope, [...nodes[v].parents, v]);
      for (let cell = 0; cell < table.length; cell++) table[cell] *= nodes[v].values[place[cell]];
    }
    return table;
  }

  // Multiply a clique's table by what is given about the variables that it sums out.
  function condition(clique, given) {
    clique.own.forEach((v, place) => {
      if (!given.has(v)) return;
      const inner = cells(clique.scope.slice(place + 1));
      const wanted = given.get(v);
      for (let cell = 0; cell < clique.belief.length; cell++) {
        if (Math.floor(cell / inner) % sizes[v] !== wanted) clique.belief[cell] = 0;
      }
    });
  }

  // Scale a message, so that long products do not vanish; return its sum.
  function scale(values) {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[i];
    if (sum > 0) for (let i = 0; i < values.length; i++) values[i] /= sum;
    return sum;
  }

  // Margins of all variables, given Maps from variable to label number: those observed and those
  // set; null if that is impossible.
  function margins(observed, set = new Map()) {
    const given = new Map([...observed, ...set]);
    for (const clique of cliques) {
      const free = clique.factors.filter((v) => !set.has(v));
      clique.belief.set(free.length < clique.factors.length ? product(clique.scope, free) : clique.prior);
    }
    for (const clique of cliques) {
      const { belief, up, nSeparator } = clique;
      condition(clique, given);
      up.fill(0);
      for (let cell = 0, at = 0; cell < belief.length; cell++) {
        up[at] += belief[cell];
        if (++at === nSeparator) at = 0;
      }
      if (!(scale(up) > 0)) return null;
      if (clique.parent < 0) continue;
      const above = cliques[clique.parent].belief;
      for (let cell = 0; cell < above.length; cell++) above[cell] *= up[clique.toParent[cell]];
    }
    for (let i = cliques.length - 1; i >= 0; i--) {
      const clique = cliques[i];
      if (clique.parent < 0) continue;
      const { belief, up, down, nSeparator } = clique;
      const above = cliques[clique.parent].belief;
      down.fill(0);
      for (let cell = 0; cell < above.length; cell++) down[clique.toParent[cell]] += above[cell];
      scale(down);
      for (let at = 0; at < nSeparator; at++) down[at] = up[at] > 0 ? down[at] / up[at] : 0;
      for (let cell = 0, at = 0; cell < belief.length; cell++) {
        belief[cell] *= down[at];
        if (++at === nSeparator) at = 0;
      }
    }
    return nodes.map((_, v) => margin(v));
  }

  function margin(v) {
    const [number, place] = home[v];
    const { belief, scope } = cliques[number];
    const inner = cells(scope.slice(place + 1));
    const found = new Float64Array(sizes[v]);
    for (let cell = 0, state = 0, left = inner; cell < belief.length; cell++) {
      found[state] += belief[cell];
      if (--left === 0) {
        left = inner;
        if (++state === sizes[v]) state = 0;
      }
    }
    scale(found);
    return found;
  }

  return { margins };
}
