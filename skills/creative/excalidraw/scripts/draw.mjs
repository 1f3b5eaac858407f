#!/usr/bin/env node
// Makes an Excalidraw file of boxes and arrows: draw.mjs diagram.json out.excalidraw; checks one: draw.mjs --check file
import { readFileSync, writeFileSync } from 'node:fs';

const [first, second] = process.argv.slice(2);
if (first === '--check' && second) check(JSON.parse(readFileSync(second, 'utf8')));
else if (first && second) {
  const drawing = draw(JSON.parse(readFileSync(first, 'utf8')));
  check(drawing);
  writeFileSync(second, JSON.stringify(drawing, undefined, 2));
} else {
  console.error('usage: draw.mjs diagram.json out.excalidraw | draw.mjs --check file.excalidraw');
  process.exit(2);
}

function draw({ boxes = [], arrows = [] }) {
  const elements = [];
  const placed = new Map();
  const size = { width: 180, height: 80, gapX: 120, gapY: 80 };
  for (const box of boxes) {
    const shape = element(box.id, box.shape ?? 'rectangle', {
      x: (box.column ?? 0) * (size.width + size.gapX),
      y: (box.row ?? 0) * (size.height + size.gapY),
      width: size.width,
      height: size.height,
      backgroundColor: box.color ?? 'transparent',
      roundness: { type: 3 },
    });
    placed.set(box.id, shape);
    elements.push(shape, label(shape, box.text ?? box.id, shape.x + 10, shape.y + 28, size.width - 20));
  }
  for (const [number, { from, to, text }] of arrows.entries()) {
    const [a, b] = [placed.get(from), placed.get(to)];
    if (!a || !b) stop(`The arrow ${from} → ${to} names a box that is not there.`);
    const [start, end] = ends(a, b);
    const arrow = element(`arrow-${number}`, 'arrow', {
      x: start.x,
      y: start.y,
      width: Math.abs(end.x - start.x),
      height: Math.abs(end.y - start.y),
      points: [
        [0, 0],
        [end.x - start.x, end.y - start.y],
      ],
      startBinding: { elementId: a.id, focus: 0, gap: 4 },
      endBinding: { elementId: b.id, focus: 0, gap: 4 },
      startArrowhead: null,
      endArrowhead: 'arrow',
      roundness: { type: 2 },
      lastCommittedPoint: null,
    });
    for (const box of a === b ? [a] : [a, b]) box.boundElements.push({ id: arrow.id, type: 'arrow' });
    elements.push(arrow);
    if (text) elements.push(label(arrow, text, (start.x + end.x) / 2 - 40, (start.y + end.y) / 2 - 12, 80));
  }
  return {
    type: 'excalidraw',
    version: 2,
    source: 'https://excalidraw.com',
    elements,
    appState: { viewBackgroundColor: '#ffffff', gridSize: null },
    files: {},
  };
}

/** Where a line between the middles of two boxes leaves the first and meets the second. */
function ends(a, b) {
  const middle = (box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  const [from, to] = [middle(a), middle(b)];
  const edge = (box, centre, other) => {
    const [dx, dy] = [other.x - centre.x, other.y - centre.y];
    const scale = Math.min(box.width / 2 / Math.abs(dx || 1e-9), box.height / 2 / Math.abs(dy || 1e-9));
    return { x: centre.x + dx * scale, y: centre.y + dy * scale };
  };
  return [edge(a, from, to), edge(b, to, from)];
}

function label(container, text, x, y, width) {
  container.boundElements.push({ id: `${container.id}-text`, type: 'text' });
  return element(`${container.id}-text`, 'text', {
    x,
    y,
    width,
    height: 25,
    text,
    originalText: text,
    fontSize: 20,
    fontFamily: 1,
    textAlign: 'center',
    verticalAlign: 'middle',
    containerId: container.id,
    lineHeight: 1.25,
  });
}

function element(id, type, more) {
  const seed = [...id].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 2_147_483_647, 7);
  return {
    id,
    type,
    angle: 0,
    strokeColor: '#1e1e1e',
    backgroundColor: 'transparent',
    fillStyle: 'solid',
    strokeWidth: 2,
    strokeStyle: 'solid',
    roughness: 1,
    opacity: 100,
    groupIds: [],
    frameId: null,
    roundness: null,
    seed,
    version: 1,
    versionNonce: seed,
    isDeleted: false,
    boundElements: [],
    updated: 1,
    link: null,
    locked: false,
    ...more,
  };
}

function check(drawing) {
  if (drawing.type !== 'excalidraw' || !Array.isArray(drawing.elements)) stop('This is no Excalidraw file.');
  const known = new Map(drawing.elements.map((item) => [item.id, item]));
  const problems = known.size < drawing.elements.length ? ['two elements have the same id'] : [];
  for (const item of drawing.elements) {
    for (const key of ['x', 'y', 'width', 'height']) {
      if (!Number.isFinite(item[key])) problems.push(`${item.id}: ${key} is no number`);
    }
    const holder = item.containerId ? known.get(item.containerId) : undefined;
    if (item.containerId && !holder?.boundElements?.some((bound) => bound.id === item.id)) {
      problems.push(`${item.id}: its container ${item.containerId} does not list it`);
    }
    for (const bound of item.boundElements ?? []) {
      if (!known.has(bound.id)) problems.push(`${item.id}: is bound to ${bound.id}, which is not there`);
    }
    for (const end of [item.startBinding, item.endBinding]) {
      if (end && !known.get(end.elementId)?.boundElements?.some((bound) => bound.id === item.id)) {
        problems.push(`${item.id}: ${end.elementId} does not list this arrow`);
      }
    }
  }
  if (problems.length > 0) stop(problems.join('\n'));
  console.log(`ok, ${drawing.elements.length} elements`);
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
