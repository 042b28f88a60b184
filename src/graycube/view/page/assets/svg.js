// Small helpers for elements of the page.

const SVG = "http://www.w3.org/2000/svg";

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function draw(parent, tag, attributes = {}, text = null) {
  const element = set(document.createElementNS(SVG, tag), attributes);
  if (text !== null) element.textContent = text;
  parent.append(element);
  return element;
}

function write(parent, tag, text, className = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.textContent = text;
  parent.append(element);
  return element;
}

function bits(node, n) {
  return n ? node.toString(2).padStart(n, "0") : "";
}

function amount(count, thing) {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
