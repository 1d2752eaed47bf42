export { scaleLinear, scaleLog } from "d3-scale";
export { area, curveMonotoneX, line } from "d3-shape";
