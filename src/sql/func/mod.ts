/** Scalar functions by name. Aggregates and window functions have their own tables. */
import { ARRAY } from "./array.ts";
import { CONDITIONAL, SESSION } from "./conditional.ts";
import type { ScalarDefinition } from "./definition.ts";
import { EXTREMES, MATH } from "./math.ts";
import { REGEX } from "./regex.ts";
import { STRING } from "./string.ts";
import { TIME } from "./time.ts";
import { TYPE } from "./type.ts";

const SCALARS: ReadonlyMap<string, ScalarDefinition> = new Map(
  [MATH, EXTREMES, CONDITIONAL, SESSION, STRING, REGEX, TIME, ARRAY, TYPE].flatMap((table) =>
    Object.entries(table),
  ),
);

export function scalarFunction(name: string): ScalarDefinition | undefined {
  return SCALARS.get(name);
}

export function functionNames(): Iterable<string> {
  return SCALARS.keys();
}

/** Functions of the dialect that we know and do not have yet: refused as such, not as unknown. */
export const LATER: ReadonlySet<string> = new Set(
  `matches matches_term parse_json json_to_string json_get json_get_int json_get_float json_get_bool
   json_get_string json_get_object json_object json_object_keys json_is_null json_is_bool json_is_int
   json_is_float json_is_string json_is_object json_is_array json_path_exists json_path_match
   ipv4_string_to_num ipv4_num_to_string ipv4_to_cidr ipv4_in_range ipv6_string_to_num ipv6_num_to_string
   ipv6_to_cidr ipv6_in_range parse_vec vec_to_string vec_dim vec_kth_elem vec_subvector vec_scalar_add
   vec_scalar_mul vec_add vec_sub vec_mul vec_div vec_norm vec_elem_sum vec_elem_product vec_elem_avg
   vec_cos_distance vec_dot_product vec_l2sq_distance vec_sum vec_product vec_avg wkt_point_from_latlng geohash
   geohash_neighbours h3_latlng_to_cell h3_latlng_to_cell_string h3_string_to_cell h3_cell_to_string
   h3_cell_center_latlng h3_cell_resolution h3_cell_base h3_cell_is_pentagon h3_cell_parent
   h3_cell_center_child h3_cell_to_children h3_cell_to_children_size h3_cell_to_child_pos
   h3_child_pos_to_cell h3_cells_contains h3_grid_disk h3_grid_disk_distances h3_grid_distance
   h3_grid_path_cells h3_distance_sphere_km h3_distance_degree s2_latlng_to_cell s2_cell_level
   s2_cell_to_token s2_cell_parent st_contains st_within st_intersects st_distance st_distance_sphere_m
   st_area json_encode_path geo_path hll hll_merge hll_count uddsketch_state uddsketch_merge
   uddsketch_calc anomaly_score_zscore anomaly_score_mad anomaly_score_iqr approx_percentile_cont_with_weight
   sha224 sha384 sha512 digest regexp_instr to_local_time make_time to_time map map_entries map_extract
   element_at map_keys map_values named_struct struct row get_field union_extract union_tag
   arrow_metadata build rate current_time pg_encoding_to_char array_any_value array_dims array_distance
   array_except array_has_all array_has_any array_intersect array_max array_min array_ndims array_pop_back
   array_pop_front array_remove array_repeat array_replace array_resize array_slice array_union
   arrays_overlap arrays_zip flatten`
    .trim()
    .split(/\s+/),
);
